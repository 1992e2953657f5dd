/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of libc that guard their data with locks of their own. No hook sees those locks, and
 * fork copies them as they are. So a thread claims the function while it is in it, as
 * it would claim a lock: the claim's address is the function's mark. Marks with the same lock
 * belong together: a child that calls one of them may wait for a thread that was in another.
 */
#ifndef MPSAN_LIBC_LOCKS_H
#define MPSAN_LIBC_LOCKS_H

#include <stdint.h>

#include "../intercept/hook.h"
#include "../record/state.h"
#include "../record/thread.h"

struct libc_lock_mark {
	const char *lock;
	const char *function;
};

#define LIBC_LOCK_LOADED "list of loaded objects"

/* Tells the report how a function and its lock are called; once. */
void libc_lock_name(const struct libc_lock_mark *mark);

/*
 * In a forked child: the position of a `wait` event when a thread left behind was in a function with
 * the same lock, else 0. The event's lock is that function's mark. The call may well come back.
 */
uint64_t libc_lock_look(const struct libc_lock_mark *mark, uint64_t caller);
/* It did: so nobody held that lock. */
void libc_lock_back(const struct libc_lock_mark *mark, uint64_t wait);

/* exit never comes back, but runs our destructor unless it hangs at its start. */
void libc_lock_exit(uint64_t caller);
void libc_lock_exited(void);

static inline uint64_t libc_lock_begin(const struct libc_lock_mark *mark, uint64_t caller)
{
	hold_push(mark, MPSAN_LOCK_LIBC, caller);
	return UNLIKELY(life.forked) ? libc_lock_look(mark, caller) : 0;
}

static inline void libc_lock_end(const struct libc_lock_mark *mark, uint64_t wait)
{
	hold_pop(mark);
	if (UNLIKELY(wait))
		libc_lock_back(mark, wait);
}

#endif
