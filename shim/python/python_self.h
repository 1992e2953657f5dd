/* SPDX-License-Identifier: Apache-2.0 */
/* CPython in this process, as found by python_find.c. Private to the python*.c files. */
#pragma once

#include <stdatomic.h>

#include "../common/cpython/frame.h"

/* Constant once python_present() is true. No frames unless `limit` is NULL. */
struct python {
	int (*is_initialized)(void);
	int (*is_finalizing)(void);
	void *(*this_state)(void); /* of the calling thread; a pthread key, needs no GIL */
	void *(*current_state)(void); /* of the GIL's holder; of this thread from 3.12 on */
	uint64_t truth; /* True */
	uint64_t runtime_end; /* of _PyRuntime */
	const char *limit;
	struct cpython py;
	struct cpython own; /* the same, for the calling thread's frames: nobody frees them */
};
extern struct python python;
extern _Atomic bool python_found; /* it is filled in */

/* The calling thread's state; false: none, or not readable now. */
bool python_own_state(struct state *own);
/* The innermost frame of a thread; 0: none, or not readable now. `own`: the caller's state. */
uint64_t python_frame_of(const struct state *own, uint64_t pthread);

/* The `peek` of `py`: between python_blocks_begin and its end, what was read once is not read again. */
long python_blocks_peek(const struct cpython *py, void *to, uint64_t from, size_t bytes);
