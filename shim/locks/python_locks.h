/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Locks that Python takes by itself, unseen by hooks: who holds them is read from the `with` blocks
 * of frames. Neighbour: ../common/cpython/lock.h.
 */
#pragma once

#include "claim.h"

/*
 * Before a fork, the GIL held: calls `add` for each such lock that a thread is inside of. Memory is
 * to be asked whether it is taken.
 */
void python_locks_each(struct mpsan_thread *t,
		       void (*add)(const struct mpsan_hold *hold, struct mpsan_thread *t,
				   void *context),
		       void *context);

/*
 * Of the verified claims of a fork, drops those on a Lock of which several threads are in a `with`
 * block, or the forking one: a block may release it inside, and memory does not say who has it.
 */
void python_locks_settle(struct claim *claim, uint32_t count);

/*
 * Records the line of the `with` by which a thread took a lock of Python, as a frame in the format
 * of python_stack; 0: there is none, or the lock is not Python's. Sets the claim's object.
 */
uint64_t python_locks_taken(struct claim *claim);
/* The same of the acquire() by which it did. */
uint64_t python_locks_called(struct claim *claim);
/*
 * Whether it is the lock of its holder's end, which a forked child makes anew. `seen`: its holder had the same locks when
 * this was asked last; memory is not read again.
 */
bool python_locks_end(const struct claim *claim, bool seen) __attribute__((nonnull));
/* Records the name of a claim's lock, if its holder, another thread, has it in a `with` block or its object is known. */
void python_locks_name(const struct claim *claim) __attribute__((nonnull));

/*
 * The PyMutex for which the calling thread, which is guarded, is parked at a semaphore; 0: none. See
 * python_parked.
 */
uint64_t python_locks_awaited(const void *semaphore);

/*
 * Whether the calling thread, which waits for this PyMutex, is in a `with` block of it.
 */
bool python_locks_own(uint64_t mutex);

/*
 * Proves a wait of a forked child for a PyMutex, whose `semaphore` the thread is parked at; as
 * prove_semaphore does.
 */
uint64_t python_locks_prove(uint64_t mutex, uint64_t caller);
