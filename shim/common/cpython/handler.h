/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The handlers of a frame's exceptions: which instructions each of them is for, from 3.11 on; and whether the one that a frame
 * is in passes its exception on.
 */
#pragma once

#include "frame.h"
#include "span.h"

/* One entry: instructions, in units of two bytes, and what happens to an exception there. */
struct handler {
	unsigned start, length, target, depth;
	bool lasti; /* whether to push the instruction, too: not for `try`, always for `with` */
};

bool handlers_open(struct span *table, const struct cpython *py, const struct frame *frame);
/* False at the end of the table. */
bool handler_next(struct span *table, struct handler *handler);

/*
 * Whether it is a `finally`, the end of a `with`, or an `except` that raises the exception again behind the current
 * instruction. `raised`: the byte offset of the instruction from which the exception came. False in doubt: then the program may
 * do anything else about it.
 */
bool handler_passes_on(const struct cpython *py, const struct frame *frame, long raised);
