/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who will release a lock of another process's Python, by its frames and objects. `top` is the
 * innermost frame of a thread, `lock` the address of the semaphore or PyMutex behind a
 * threading.Lock or RLock. Every answer may be no for lack of knowledge; yes is certain if neither
 * thread ran meanwhile. Neighbour: pyview.h finds the frames.
 */
#pragma once

#include "../../shim/common/cpython/frame.h"

/*
 * The TID of the thread for whose end the innermost frame, threading.Thread.join, waits with this
 * lock (which is not checked from 3.13 on); 0: it does something else.
 */
uint32_t pylock_joined(const struct cpython *py, uint64_t top, uint64_t lock);

/* Whether the innermost frame is the interpreter's end, which joins thread after thread. */
bool pylock_at_end(const struct cpython *py, uint64_t top);

/*
 * pthread_self() of the owner of the RLock that the innermost frame waits for; 0: it is no RLock, or
 * free.
 */
uint64_t pylock_owner(const struct cpython *py, uint64_t top, uint64_t lock);

/*
 * Whether a frame is in a `with` block that releases this lock in the end: of the lock, or of a
 * threading.Condition around it.
 */
bool pylock_in_with(const struct cpython *py, uint64_t top, uint64_t lock);
/* The locks of all such blocks: up to `most`, and how many there are. */
unsigned pylock_all_in_with(const struct cpython *py, uint64_t top, uint64_t *lock, unsigned most);

/* The threading.Semaphore in whose acquire() the thread waits; 0: none. */
uint64_t pylock_semaphore(const struct cpython *py, uint64_t top);
/* Whether it is a BoundedSemaphore that had a permit at first. */
bool pylock_had_permits(const struct cpython *py, uint64_t semaphore);
/* Whether a frame is in a `with` block of this object. */
bool pylock_in_with_of(const struct cpython *py, uint64_t top, uint64_t object);

#define PYLOCK_FORK_SERVER (UINT32_MAX - 1) /* its fork server, whatever its PID */

/*
 * The same for a Lock or RLock of multiprocessing, which the thread with that pthread_self() took itself.
 * `parent`: the PID of the process that this one was forked from, with its frames, by multiprocessing,
 * or PYLOCK_FORK_SERVER; then the block must have been entered after the fork. 0: it was not.
 */
bool pylock_keeps_shared(const struct cpython *py, uint64_t top, uint64_t lock, uint64_t thread,
			 uint32_t parent);

/*
 * The `with` statement, or the call of acquire(), by which a thread took this lock, of the interpreter or of multiprocessing,
 * as a frame in the format of python_stack; returns the length, 0: there is none.
 */
size_t pylock_taken(const struct cpython *py, uint64_t top, uint64_t lock, char *text,
		    size_t bytes);

/*
 * The SemLock behind a lock of multiprocessing, not a counting semaphore, for whose `with` block the thread waits; 0: none. Whether that of a process
 * says that the process has not taken it: in a child of a fork it lies at the same address.
 */
uint64_t pylock_shared(const struct cpython *py, uint64_t top, uint64_t lock);
bool pylock_shared_is_free(const struct cpython *py, uint64_t semlock, uint64_t lock);

/* Whether code of the program on the thread's stack has a name with "release" in it: it may release what another took. */
bool pylock_names_release(const struct cpython *py, uint64_t top);

/*
 * Whether the thread waits in Queue.get() of a multiprocessing.Queue for which more items were put than have come out: its
 * semaphore counts them.
 */
bool pylock_queue_lacks(const struct cpython *py, uint64_t top);
/* Whether it takes a lock of a multiprocessing queue: its owner only comes first in what both wait for. */
bool pylock_is_of_queue(const struct cpython *py, uint64_t top);
