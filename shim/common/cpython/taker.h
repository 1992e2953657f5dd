/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who could have taken a lock without a `with` block of its own frames: by acquire(), a call that leaves no
 * trace in the thread that made it, or through a generator, an ExitStack, or an object whose __exit__
 * releases it. A frame that calls something `acquire` and has the lock at hand probably did.
 */
#pragma once

#include "lock.h"

struct cpython_taker {
	/*
	 * How probably one of a thread's frames took the lock: highest if it has entered what releases
	 * it in the end; then if it has called its acquire() and, in the order of its instructions, not
	 * release() since; then if the lock is a variable of
	 * the frame, then an attribute of one, then a global that the frame names; and if the frame is
	 * nearer to the innermost one. 0: none calls acquire() and has it at hand.
	 */
	unsigned rank;
	bool called; /* it has taken the lock, */
	bool entered; /* by entering what releases it in the end, */
	unsigned line; /* in this line of `frame`; 0: unknown */
	struct frame frame;
	bool signals; /* some frame has it at hand that calls release(), and not acquire() */
};

/* Fills `taker` for the thread with this innermost frame. Slow. */
void cpython_taker(const struct cpython *py, uint64_t top, const struct cpython_lock *lock,
		   struct cpython_taker *taker);

/* The same, of any frame that has it at hand, whatever that calls. */
void cpython_taker_near(const struct cpython *py, uint64_t top, const struct cpython_lock *lock,
			struct cpython_taker *taker);

/*
 * The same of the thread that waits for it, of the frames around the one that waits, and of that one
 * only if it has called acquire() before. A rank of another thread that is not higher is not more
 * probable: the lock has to be nearer at hand.
 */
void cpython_taker_around(const struct cpython *py, uint64_t top, const struct cpython_lock *lock,
			  struct cpython_taker *taker);

/* The line of that call, in the format of with_text; returns the length, 0: unknown. */
size_t cpython_taker_text(const struct cpython *py, const struct cpython_taker *taker, char *text,
			  size_t bytes);

/*
 * The line of the outermost acquire() of the Lock or RLock with this address in a thread that is known to have it, in the
 * same format; 0: unknown. `acquire` is that str, as names are interned; 0: it is looked for by its text, which is slow.
 * `object`: the lock that has this address, of a frame that calls acquire(); 0: none has it at hand.
 */
size_t cpython_called_text(const struct cpython *py, uint64_t top, uint64_t address,
			   uint64_t acquire, char *text, size_t bytes, uint64_t *object);

/* The Lock or RLock with this PyMutex; false: the PyMutex is part of something else. */
bool cpython_lock_of(const struct cpython *py, uint64_t mutex, struct cpython_lock *lock);

/*
 * How many variables a frame has, whose code is read, and how many with its value stack as far as that may reach; see
 * frame_local.
 */
unsigned cpython_values(const struct cpython *py, const struct frame *frame, unsigned *variables);
