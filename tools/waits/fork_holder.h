/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which thread of an ancestor holds a lock of Python's that a forked child has a locked copy of: memory
 * has the same addresses in both. Neighbours: ../symbols/pylock.h, ../waitgraph/forked_waits.h.
 */
#pragma once

#include "snapshot.h"

struct fork_holder {
	const struct snapshot_thread *thread; /* NULL: unknown */
	uint64_t fork; /* position of the fork that did not copy it */
	bool probably; /* no memory names it: see fork_holder_taker */
};

/* The process that this one is a copy of, in this snapshot; SNAPSHOT_NONE: it has ended. */
uint32_t fork_parent(const struct snapshot *snapshot, uint32_t process);

/* The TID of the thread of that parent that forked; 0: unknown. */
uint32_t fork_forker(const struct snapshot *snapshot, uint32_t process);

/*
 * The thread that the child's copy of the lock names as its owner, or that is in a `with` block of its own
 * copy, in the nearest ancestor that has one. `mutex`: it is a PyMutex, not a semaphore.
 */
struct fork_holder fork_holder_find(const struct snapshot *snapshot,
				    const struct snapshot_thread *waiter, uint64_t lock,
				    bool mutex);

/*
 * The thread that probably took it without a `with` block of its own frames: by acquire(), or in a generator,
 * an ExitStack or an object that releases it in the end. Only where the program itself waits for the lock, and
 * none of the threads is there to release it as a signal.
 */
struct fork_holder fork_holder_taker(const struct snapshot *snapshot,
				     const struct snapshot_thread *waiter, uint64_t lock,
				     bool mutex);
