/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Follows gevent's hub to its parent. A greenlet object points to an object in C++, in which its frame and its parent are
 * recognised by the names of their types: see greenlet's TGreenlet.hpp.
 */
#include "pygreenlets.h"

#define IMPLEMENTATION 32 /* in a greenlet: behind its weak references and dictionary */
#define WORDS 40u /* of the object in C++ */
#define FRAME_OF_OBJECT 24 /* in a frame object from 3.11 on; before, it is the frame */

/* The first word of a greenlet's object in C++ that refers to one of this type; 0: none. */
static uint64_t member_of(const struct cpython *py, uint64_t greenlet, const char *type)
{
	uint64_t word[WORDS], at = cpython_member(py, greenlet, IMPLEMENTATION);

	if (!cpython_peek(py, word, at, sizeof(word)))
		return 0;
	for (unsigned i = 0; i < WORDS; i++)
		if (cpython_is_a(py, word[i], type))
			return word[i];
	return 0;
}

static size_t stack_of_calls(const struct cpython *py, uint64_t top, char *text, size_t bytes)
{
	struct frame frame;
	struct walk walk;
	size_t length = 0, more;

	walk_open(&walk, py, top);
	while (walk_step(&walk, &frame) && !frame_is_of_c(&frame) && frame_read_code(py, &frame)) {
		unsigned line = cpython_line(py, frame.lines, frame.first_line, frame.instr);

		more = length + 1 < bytes ? frame_line_text(py, &frame, line, text + length,
							    bytes - length - 1) :
					    0;
		if (!more)
			break;
		length += more;
		text[length++] = '\n';
	}
	text[length] = '\0';
	return length;
}

size_t pygreenlets_stack(const struct cpython *py, uint64_t top, char *text, size_t bytes)
{
	struct frame frame;
	struct walk walk;
	uint64_t parent;

	*text = '\0';
	walk_open(&walk, py, top);
	if (!walk_on(&walk, &frame) || !frame_is(py, &frame, "run", "/gevent/hub.py"))
		return 0;
	parent = member_of(py, frame_local(py, &frame, 0), "greenlet.greenlet");
	top = parent ? member_of(py, parent, "frame") : 0;
	if (top && py->at.minor >= 11)
		top = cpython_member(py, top, FRAME_OF_OBJECT);
	if (!top)
		return 0;
	return py->at.minor < 12 ? cpython_stack(py, top, &walk, text, bytes) :
				   stack_of_calls(py, top, text, bytes);
}
