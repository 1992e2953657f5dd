/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What other threads were doing at a fork: a copy of the inner frames of each, because a child loses
 * them with the threads. From it the child learns who could have taken a lock whose owner no memory
 * names. Only where Python's locks are taken unseen.
 */
#ifndef MPSAN_PYTHON_GLANCE_H
#define MPSAN_PYTHON_GLANCE_H

#include "../common/cpython/lock.h"
#include "python.h"

/*
 * Before a fork of this process, the GIL held: begins, then copies the inner frames of each other thread.
 * `place` is from python_held; `semaphore` is what the thread waits for, 0: nothing. Costs two peeks for
 * a thread whose frames have changed since the last fork.
 */
void python_glances_begin(uint32_t pid);
void python_glance(uint32_t pid, uint32_t tid, uint64_t pthread, uint64_t semaphore,
		   const struct python_place *place);

/*
 * In a forked child, which waits for this PyMutex: the thread left behind that has it, or probably has
 * it; NULL: unknown. Slow.
 */
struct python_taker {
	uint32_t tid;
	bool certain; /* the lock names its owner */
};
struct glance;
const struct glance *python_glance_taker(uint32_t pid, uint64_t mutex, struct python_taker *taker);

/* The frames and the name of such a thread, as python_stack and python_thread_name. */
size_t python_glance_stack(const struct glance *glance, struct walk *room, char *text,
			   size_t bytes);
size_t python_glance_name(const struct glance *glance, char *text, size_t bytes);

#endif
