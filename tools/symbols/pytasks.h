/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the coroutines of an event loop wait for: asyncio's own loop, with tasks of its C
 * implementation. Neighbours: pyview.h shows these frames before those of the loop.
 */
#ifndef MPSAN_PYTASKS_H
#define MPSAN_PYTASKS_H

#include "../../shim/common/cpython/process.h"

/*
 * The coroutines of the task that a loop waits for in run_until_complete, innermost first, as in
 * cpython_stack; followed through tasks that it awaits itself (gather, wait, TaskGroup), those that
 * wait for a lock first. "": the thread's innermost frame is in no such loop.
 */
size_t pytasks_stack(const struct cpython *py, uint64_t top, char *text, size_t bytes);

#endif
