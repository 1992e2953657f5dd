/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Process-shared locks: their last taker must be known after its death, and two addresses in two
 * processes must be recognised as one lock. thread.h has the claims, hooks/sync.c calls.
 */
#pragma once

#include <stdint.h>

#define PSHARED_VALUE_UNKNOWN UINT64_MAX

/*
 * A process-shared semaphore was created or opened: records which object it is. `name` is that of
 * sem_open; NULL: a lock in shared memory. `value` is its initial value.
 */
void pshared_semaphore(const void *semaphore, const char *name, uint64_t value, uint64_t caller);

/*
 * As pshared_semaphore, for a mutex or read-write lock. Their hooks do not check for shared ones,
 * so from now on every child gets its log at its fork.
 */
void pshared_lock(const void *lock, unsigned kind, uint64_t caller);

/* sem_close: the address may belong to another lock from now on. */
void pshared_gone(const void *semaphore);

/*
 * A forked child of a process with such locks: opens its log, so that its claims are kept from the
 * start.
 */
void pshared_born(void);
