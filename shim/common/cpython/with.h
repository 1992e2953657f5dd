/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The `with` blocks that a frame is inside of. A `with` statement keeps the __exit__ of what it
 * entered on its frame's value stack; how much of that stack is in use follows from the handlers
 * around the current instruction: each of them knows the depth to which it would unwind.
 */
#pragma once

#include "frame.h"

#define WITH_MAX 16u /* blocks of one frame */

struct with_block {
	uint64_t self; /* what was entered */
	uint64_t exit; /* its __exit__: a PyMethodDef, or the code of a Python function */
	bool builtin;
	unsigned depth; /* of the value stack, to which the block's own handler unwinds */
};

/* The blocks of a frame, outermost first; returns how many. */
unsigned with_blocks(const struct cpython *py, const struct frame *frame, struct with_block *block);

/* The same of an __exit__ that is bound to what was entered; its depth is unknown. */
bool with_bound(const struct cpython *py, struct with_block *block, uint64_t method);

/* The line of the `with` statement; 0: unknown. */
unsigned with_line(const struct cpython *py, const struct frame *frame,
		   const struct with_block *block);

/*
 * The `with` statement as a frame in the format of python_stack, without a line feed; returns the
 * length, 0: the line is unknown, or there is too little room.
 */
size_t with_text(const struct cpython *py, const struct frame *frame,
		 const struct with_block *block, char *text, size_t bytes);

/* Whether its __exit__, or __aexit__, is such a function of Python; __exit__ of a file of that name. See frame_is. */
bool with_exit_is(const struct cpython *py, const struct with_block *block, const char *function,
		  const char *file);
bool with_is_of(const struct cpython *py, const struct with_block *block, const char *file);
