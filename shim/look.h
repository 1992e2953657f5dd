/*
 * A second look at a lock that is taken already, before the real call blocks on it: can this wait
 * end? When it provably cannot, it becomes a `wait` event with everything that proves it. Only
 * untimed waits are looked at.
 */
#ifndef MPSAN_LOOK_H
#define MPSAN_LOOK_H

#include <stdint.h>

#include "../include/mpsan_log.h"

/* Each returns the position of a `wait` event, or 0. `caller` is the program's return address. */
uint64_t look_mutex(const void *mutex, uint64_t caller);
uint64_t look_rwlock(const void *rwlock, unsigned kind, uint64_t caller);
uint64_t look_spin(const void *lock, uint64_t caller);
uint64_t look_semaphore(const void *semaphore, uint64_t caller);

/*
 * The rest of a lock call that found the lock taken, out of line: blocks in `real`, ends the wait,
 * settles the claim. `real` takes the lock as its only argument.
 */
#define lock_taken(hold, lock, kind, wait, real) \
	look_and_block(hold, (void *)(uintptr_t)(lock), kind, wait, (int (*)(void *))(void *)(real))
int look_and_block(struct mpsan_hold *hold, void *lock, unsigned kind, uint64_t wait,
		   int (*real)(void *));

/* An unlock in a forked child returned `error`; passes it through. */
int look_unlock(const void *mutex, int error, uint64_t caller);

#endif
