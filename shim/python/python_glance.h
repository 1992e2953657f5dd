/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What other threads were doing at a fork: a copy of the inner frames of each, because a child loses
 * them with the threads. From it the child learns who could have taken a lock whose owner no memory
 * names. Only where Python's locks are taken unseen.
 */
#ifndef MPSAN_PYTHON_GLANCE_H
#define MPSAN_PYTHON_GLANCE_H

#include "../common/cpython/taker.h"
#include "python.h"

/*
 * Before a fork of this process, the GIL held: begins, then copies the inner frames of each other thread.
 * `place` and `state` are from python_held; `semaphore` is what the thread waits for, 0: nothing. Costs two peeks for
 * a thread whose frames have changed since the last fork.
 */
void python_glances_begin(uint32_t pid);
void python_glance(uint32_t pid, uint32_t tid, uint64_t pthread, uint64_t state, uint64_t semaphore,
		   const struct python_place *place);

/*
 * Whether the thread stands where the last copy was made, at the same fork or an earlier one: the hash of its
 * frames then, else 0. Replaces python_held and python_glance for a thread that held nothing. One peek.
 */
uint64_t python_glance_again(uint32_t pid, uint32_t tid, uint64_t pthread, uint64_t semaphore);

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

#endif
