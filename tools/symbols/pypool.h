/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pools of multiprocessing and concurrent.futures, by the objects of a thread that waits.
 * Neighbour: pyview.h finds the frames.
 */
#pragma once

#include "../../shim/common/cpython/frame.h"

/*
 * Whether a thread whose innermost frame is `top` waits for the end of a pool that was closed, or in a task of one of
 * threads, while the pool has more tasks left than workers: some will begin only when a worker has done its own. False
 * if in doubt.
 */
bool pypool_is_short(const struct cpython *py, uint64_t top);

/* Whether it runs a task of a ThreadPoolExecutor that has tasks which no worker has begun. */
bool pypool_is_queued(const struct cpython *py, uint64_t top);

/* Whether it is the main thread of a Pool's worker that may do any number of tasks. */
bool pypool_works_on(const struct cpython *py, uint64_t top);
