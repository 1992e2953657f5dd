/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What other threads were doing at a fork: a copy of the inner frames of each, because a child loses
 * them with the threads. From it the child learns who could have taken a lock whose owner no memory
 * names. Only where Python's locks are taken unseen.
 */
#pragma once

#include "../common/cpython/taker.h"
#include "python.h"

/* Another thread than the one that forks. */
struct python_other {
	uint32_t pid, tid;
	uint64_t pthread;
	uint64_t state; /* from python_held */
	uint64_t semaphore; /* that it waits for; 0: none */
};

/* The locks that its `with` blocks name. */
#define PYTHON_INSIDE 4u
struct python_inside {
	uint32_t count; /* may be more than there is room for */
	struct cpython_lock lock[PYTHON_INSIDE];
	uint64_t end; /* of the values on its stack that name them */
};

/*
 * Before a fork of this process, the GIL held: begins, then copies the inner frames of each other thread.
 * `place` is from python_held, as is what it is `inside` of. Costs two peeks for a thread whose frames have changed since
 * the last fork.
 */
void python_glances_begin(uint32_t pid);
void python_glance(const struct python_other *other, const struct python_place *place,
		   const struct python_inside *inside) __attribute__((nonnull));

/*
 * Whether the thread stands where the last copy was made, at the same fork or an earlier one. Replaces python_held,
 * whose frame and block are NULL here, and python_glance. One peek.
 */
bool python_glance_again(const struct python_other *other, cpython_held_seen *see, void *context)
	__attribute__((nonnull(1, 2)));

/*
 * In a forked child, whose only thread waits for this PyMutex: who has it, or probably has it. False:
 * unknown. Slow.
 */
struct glance;
struct python_taker {
	const struct glance *glance; /* a thread left behind; NULL: the one that waits */
	uint32_t tid; /* of the thread left behind */
	bool own;
	bool certain; /* the lock names its owner */
	struct cpython_taker by;
};
bool python_glance_taker(uint32_t pid, uint64_t mutex, struct python_taker *taker);

/* The line of the acquire() that took it, as a frame in the format of python_stack; 0: unknown. */
size_t python_taker_text(const struct python_taker *taker, char *text, size_t bytes);

/* The frames and the name of such a thread, as python_stack and python_thread_name. */
size_t python_glance_stack(const struct glance *glance, struct walk *room, char *text,
			   size_t bytes);
size_t python_glance_name(const struct glance *glance, char *text, size_t bytes);
