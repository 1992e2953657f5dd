/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a thread of Python that runs repeats itself: a loop that only tests. Neighbour: pyview.h. */
#pragma once

#include "../../shim/common/cpython/cpython.h"

struct pyspin {
	bool computes; /* or does something else that goes on */
	bool yields; /* it is in sched_yield() nearly always */
	uint64_t loop; /* else a number for the loop and the state of its variables; 0: unknown */
};

/*
 * Looks at a running thread, given its PyThreadState, some hundred times within some ten milliseconds: whether its frames are
 * those of one loop, what they have came back again and again at each instruction, and no instruction takes most of the time,
 * as a call that computes would; that of sched_yield() may. `py` must read memory anew.
 */
struct pyspin pyspin_look(const struct cpython *py, uint64_t state);
