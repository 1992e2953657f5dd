/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who could have taken a lock by acquire(): a call that leaves no trace in the thread that made it. A
 * frame that calls something `acquire` and has the lock at hand probably did.
 */
#ifndef MPSAN_CPYTHON_TAKER_H
#define MPSAN_CPYTHON_TAKER_H

#include "lock.h"

/*
 * How probably one of a thread's frames took the lock: higher if it is a variable of the frame, then
 * an attribute of one, then a global that the frame names; and if the frame is nearer to the innermost
 * one. 0: it is at hand nowhere. Slow.
 */
unsigned cpython_taker(const struct cpython *py, uint64_t top, const struct cpython_lock *lock);

/*
 * The same of the thread that waits for it, as far out as the frame around the one that waits. Only what
 * is higher is more probable: another thread has to have it nearer at hand.
 */
unsigned cpython_taker_around(const struct cpython *py, uint64_t top,
			      const struct cpython_lock *lock);

/* The Lock or RLock with this PyMutex; false: the PyMutex is part of something else. */
bool cpython_lock_of(const struct cpython *py, uint64_t mutex, struct cpython_lock *lock);

#endif
