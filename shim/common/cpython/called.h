/* SPDX-License-Identifier: Apache-2.0 */
/* Which methods the instructions of a frame have called, by the names that they use. */
#pragma once

#include "frame.h"

/* The names of globals, attributes and methods in a frame's code: str, interned. */
struct called_names {
	uint64_t items;
	unsigned count;
};
struct called_names called_names(const struct cpython *py, const struct frame *frame);

/* Which of them has this text, or is this str; negative: none. */
int called_find(const struct cpython *py, const struct called_names *names, const char *text);
int called_find_key(const struct cpython *py, const struct called_names *names, uint64_t key);

/*
 * The instruction by which a frame last called `method` of an object that it reaches by a local variable, or a global
 * or an attribute of that name (negative: not so), if it has not called its release() since, and not in the
 * current line; negative: it did not.
 */
long called_last(const struct cpython *py, const struct frame *frame,
		 const struct called_names *names, int variable, int name, int method);

/* Whether the frame drops what the function that it calls now will return; false: it does not, or that is unknown. */
bool called_in_vain(const struct cpython *py, const struct frame *frame);

/* Tuples of a code object: those names, its constants, its local variables. */
#define CALLED_TUPLES 3u
uint64_t called_tuple(const struct cpython *py, uint64_t code, unsigned which);
