/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the greenlet waits for that runs where a thread began, while the hub of gevent has the thread. Neighbours:
 * pytasks.h does the same for coroutines, pyview.h shows these frames before those of the hub.
 */
#pragma once

#include "../../shim/common/cpython/process.h"

/*
 * The frames of the greenlet that is the hub's parent, innermost first, as in cpython_stack, behind those of the greenlets
 * for whose end it waits, and a line for each call of gevent's in which one waits, without a number; from Python 3.12 on only
 * those up to the first call from C, as the rest of the chain lies in the C stack, which the hub uses now. "": the thread's
 * innermost frame is not that of a hub.
 */
size_t pygreenlets_stack(const struct cpython *py, uint64_t top, char *text, size_t bytes);
