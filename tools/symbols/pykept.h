/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is kept of the Pythons of other processes, each of whose threads is asked many questions. Neighbour: pyview.h.
 */
#ifndef MPSAN_PYKEPT_H
#define MPSAN_PYKEPT_H

#include "../../shim/common/cpython/frame.h"

/*
 * As cpython_find_thread, with a copy of the PyThreadState; 0: the thread has none, or it is unreadable now. It is looked for
 * where it was before: an interpreter has a list of hundreds.
 */
uint64_t pykept_thread(const struct cpython *py, uint64_t pthread, struct state *state);

/*
 * As cpython.peek, a page at a time: the search for the name of a lock looks into thousands of objects, and threads that wait
 * alike look into the same ones. Only for names: what is kept may be a moment old.
 */
long pykept_peek(const struct cpython *py, void *to, uint64_t from, size_t bytes);
void pykept_finish(void);

#endif
