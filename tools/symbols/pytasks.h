/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the coroutines of an event loop wait for: asyncio's own loop, and uvloop's in asyncio.Runner, with tasks of its C
 * implementation. Neighbours: pyview.h shows these frames before those of the loop.
 */
#pragma once

#include "../../shim/common/cpython/exception.h"

/*
 * What is wrong with the loop of a thread that waits in its selector. UNWOKEN: it has callbacks to run; it would not wait, had
 * they been there when it began, so another thread, or a signal handler, added them, and did not wake it. STUCK: a task of
 * it waits for an asyncio.Lock of which it is in a block itself, or in a circle of such tasks, so that it never goes on
 * unless another one cancels it.
 */
enum pytasks_fault { PYTASKS_NONE, PYTASKS_UNWOKEN, PYTASKS_STUCK };
enum pytasks_fault pytasks_fault(const struct cpython *py, const struct state *state);

/*
 * The coroutines of such a task, else of the one that a loop waits for in run_until_complete, innermost first, as in
 * cpython_stack; followed through tasks that it awaits itself (gather, wait, TaskGroup), those that
 * wait for a lock first; in run_forever, of one of a loop in which all that are left wait for what others are
 * to do, and one has failed. "": the thread's innermost frame is in no such loop.
 */
size_t pytasks_stack(const struct cpython *py, const struct state *state, char *text, size_t bytes);

/*
 * As cpython_raised, but first of the innermost of these coroutines that handles an exception; and with "failed" that of a
 * task or Future at hand, see pyfailed.h, or of a task of the loop, where none is handled.
 */
size_t pytasks_raised(const struct cpython *py, uint64_t at, const struct state *state,
		      enum cpython_tell tell, char *text, size_t bytes);

/*
 * Whether somebody was to wake these coroutines: a task has failed, as above; with `by_variable` also where the innermost
 * awaits a Future that is no task's, and a variable of it.
 */
bool pytasks_lacks(const struct cpython *py, const struct state *state, bool by_variable);

/* As cpython_cleans_up, of the exception that such a coroutine, or else the thread, handles. */
uint64_t pytasks_cleans(const struct cpython *py, uint64_t at, const struct state *state);
