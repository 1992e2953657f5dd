/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is kept of the Pythons of other processes, each of whose threads is asked many questions. Neighbour: pyview.h.
 */
#pragma once

#include "../../shim/common/cpython/frame.h"

/*
 * As cpython_find_thread, with a copy of the PyThreadState; 0: the thread has none, or it is unreadable now. It is looked for
 * where it was before: an interpreter has a list of thousands. During a look (../proc/proc.h) it is looked for once.
 */
uint64_t pykept_thread(const struct cpython *py, uint64_t pthread, struct state *state);

/* As cpython.peek: during a look, each page is read once. */
long pykept_peek(const struct cpython *py, void *to, uint64_t from, size_t bytes);
/* The same Python, whose memory is read anew: what threads that run may change from one question to the next. */
struct cpython pykept_present(const struct cpython *py);

/* Forgets the threads. */
void pykept_finish(void);
