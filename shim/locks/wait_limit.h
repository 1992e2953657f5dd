/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Proves that a wait with a time limit cannot succeed. Neighbour: wait_proof.h, for waits without
 * one.
 */
#pragma once

#include <time.h>

#include "wait_proof.h"

/*
 * A wait with a time limit, in a forked child, for a lock of a thread that was not copied: it cannot
 * succeed before the limit, a time of `clock`, runs out. 0: not proven, or the limit is short.
 */
uint64_t prove_timed(const void *lock, unsigned kind, clockid_t clock, const struct timespec *until,
		     uint64_t caller);

/* Makes the call that waits, after the proof if the lock is `taken`, and returns its result. */
#define LOCK_TIMED(lock, kind, taken, clock, until, call)                                         \
	do {                                                                                      \
		struct mpsan_hold *hold = hold_push_timed(lock, kind, CALLER);                    \
		uint64_t wait = 0;                                                                \
                                                                                                  \
		if (taken) {                                                                      \
			thread_stops_trying(lock);                                                \
			hold->tag |= kind == MPSAN_LOCK_SEMAPHORE ? prove_learned_tags(lock) : 0; \
			wait = prove_timed(lock, kind, clock, until, CALLER);                     \
			hold = hold_now(hold); /* the proof may have opened the log */            \
		}                                                                                 \
		return hold_commit_or_cancel(hold, lock, kind,                                    \
					     wait ? (int)prove_end(wait, call) : call);           \
	} while (0)
