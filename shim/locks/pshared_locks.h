/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Locks that several processes share: who took one must be known after its death, and two addresses
 * in two processes must be known to be one lock. Neighbours: thread.h has the claims, hooks/sync.c
 * calls.
 */
#ifndef MPSAN_PSHARED_LOCKS_H
#define MPSAN_PSHARED_LOCKS_H

#include <stdbool.h>
#include <stdint.h>

#define PSHARED_VALUE_UNKNOWN UINT64_MAX

/*
 * A process-shared lock was made or opened: states which object it is. `name` is that of sem_open,
 * NULL: a lock in memory that the program shares. `value` is the one it begins with.
 */
void pshared_semaphore(const void *semaphore, const char *name, uint64_t value, uint64_t caller);

/*
 * The same of a mutex or read-write lock. Their hooks do not look for shared ones, so from now on
 * every child gets its log at its fork.
 */
void pshared_lock(const void *lock, unsigned kind, uint64_t caller);

/* sem_close: its address may be another lock's from now on. */
void pshared_gone(const void *semaphore);

/* A forked child of a process with such locks: its claims are kept from the start. */
void pshared_born(void);

#endif
