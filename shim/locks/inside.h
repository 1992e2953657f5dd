/*
 * Functions of libc that guard their data with locks of their own. No hook sees those locks, and
 * fork copies them as they are (facts II.2). So a thread claims the function while it is in it, as
 * it would claim a lock: the claim's address is the function's mark. Marks with the same lock
 * belong together: a child that calls one of them may wait for a thread that was in another.
 */
#ifndef MPSAN_INSIDE_H
#define MPSAN_INSIDE_H

#include <stdint.h>

#include "../intercept/hook.h"
#include "../record/state.h"
#include "../record/thread.h"

struct inside_mark {
	const char *lock;
	const char *function;
};

#define INSIDE_LOADED "list of loaded objects"

/* Tells the report how a function and its lock are called; once. */
void inside_name(const struct inside_mark *mark);

/*
 * In a forked child: the position of a `wait` event when a thread left behind was in a function with
 * the same lock, else 0. The event's lock is that function's mark. The call may well come back.
 */
uint64_t inside_look(const struct inside_mark *mark, uint64_t caller);
/* It did: so nobody held that lock. */
void inside_back(const struct inside_mark *mark, uint64_t wait);

/* exit never comes back, but runs our destructor unless it hangs at its start. */
void inside_exit(uint64_t caller);
void inside_exited(void);

static inline uint64_t inside_begin(const struct inside_mark *mark, uint64_t caller)
{
	hold_claim(mark, MPSAN_LOCK_LIBC, caller);
	return UNLIKELY(life.forked) ? inside_look(mark, caller) : 0;
}

static inline void inside_end(const struct inside_mark *mark, uint64_t wait)
{
	hold_drop(mark);
	if (UNLIKELY(wait))
		inside_back(mark, wait);
}

#endif
