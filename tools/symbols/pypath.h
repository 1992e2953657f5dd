/* SPDX-License-Identifier: Apache-2.0 */
/* Follows a task of asyncio from its coroutine inwards, through what each awaits. Neighbours: pytasks.h asks. */
#pragma once

#include "../../shim/common/cpython/process.h"

#define PYPATH_DEPTH 32u /* coroutines */
/* Behind the head: of a FutureIter its future, of a Future its loop, of a weak reference its object. */
#define PYPATH_FIRST_WORD 16
#define PYPATH_LOCKS "asyncio/locks.py"

struct pypath {
	const struct cpython *py;
	uint64_t frame[PYPATH_DEPTH], coroutine[PYPATH_DEPTH]; /* outermost first */
	uint64_t future; /* what the innermost awaits, if it is one, and not gather's */
	unsigned count, visits;
	bool alone; /* only through a task that is awaited by itself */
};

/* Adds the coroutines of a task. False: there are none, or it is not understood what the innermost waits for. */
bool pypath_follow(struct pypath *path, uint64_t task);
bool pypath_frame(const struct pypath *path, unsigned i, struct frame *frame);
/* Whether its innermost coroutine waits for a lock of asyncio. */
bool pypath_awaits_lock(const struct pypath *path);
/* Whether it waits for what another task is to do: for a lock, or at a queue. */
bool pypath_awaits_another(const struct pypath *path);
/* The first objects in a set: how many. */
unsigned pypath_set(const struct cpython *py, uint64_t set, uint64_t *item, unsigned most);
