/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A second look at a lock that is taken already, before the real call blocks on it: can this wait
 * end? When it provably cannot, it becomes a `wait` event with everything that proves it. Only
 * untimed waits are looked at.
 */
#ifndef MPSAN_WAIT_PROOF_H
#define MPSAN_WAIT_PROOF_H

#include <stdint.h>

#include "../../include/mpsan_event.h"
#include "../../include/mpsan_log.h"

/* Each returns the position of a `wait` event, or 0. `caller` is the program's return address. */
uint64_t prove_mutex(const void *mutex, uint64_t caller);
uint64_t prove_rwlock(const void *rwlock, unsigned kind, uint64_t caller);
uint64_t prove_spin(const void *lock, uint64_t caller);
uint64_t prove_semaphore(const void *semaphore, uint64_t caller);
/* Of a C++ static: it is under construction by a thread left behind, and by nobody else. */
uint64_t prove_guard(const void *guard, uint64_t caller);

/*
 * Before and after a wait for something that is no lock: a condition, a barrier, a futex. prove_alone
 * claims it, and states it (then it returns the `wait` event) where nobody is left to end it: in a
 * forked child with one thread, in memory of its own. prove_end passes `result` through; the claim
 * is the caller's to drop.
 */
uint64_t prove_alone(const void *object, unsigned kind, uint64_t caller);
/* The same for a futex: the kernel blocks only while the word has this value. */
uint64_t prove_futex(const void *word, uint32_t value, uint64_t caller);
long prove_end(uint64_t wait, long result);

/* What a supervisor wants to know of a wait that is about to block: bits for its claim. */
uint64_t prove_tags(void);

/*
 * The rest of a lock call that found the lock taken, out of line: blocks in `real`, ends the wait,
 * settles the claim. `real` takes the lock as its only argument.
 */
#define lock_taken(hold, lock, kind, wait, real)                     \
	prove_and_block(hold, (void *)(uintptr_t)(lock), kind, wait, \
			(int (*)(void *))(void *)(real))
int prove_and_block(struct mpsan_hold *hold, void *lock, unsigned kind, uint64_t wait,
		    int (*real)(void *));

/*
 * States a wait that its hook has found; 0 when that may not be told now. `orphan` may be NULL.
 */
struct claim;
uint64_t prove_state(const void *lock, unsigned kind, enum mpsan_wait_reason reason,
		     const struct claim *orphan, uint64_t caller);

/* An unlock in a forked child returned `error`; passes it through. */
int prove_unlock(const void *mutex, int error, uint64_t caller);

#endif
