/* SPDX-License-Identifier: Apache-2.0 */
/* Frames of a Python thread. Every function reads memory in its current state and keeps nothing. */
#pragma once

#include "../../../include/mpsan_log.h"
#include "line.h"
#include "object.h"

/* ---- threads ---- */

struct state {
	uint64_t next, prev, interp, thread_id;
	uint64_t frame; /* the innermost one, or 0 */
};

/* Reads a PyThreadState; false when it cannot be read. */
bool state_read(const struct cpython *py, struct state *state, uint64_t at);

/* ---- frames ---- */

struct frame {
	uint64_t at, previous, code, locals;
	long instr; /* byte offset of the current instruction; negative: none yet */
	int owner;
	/* Of its code object, by walk_on: */
	uint64_t name, file, lines; /* two str and the line table */
	uint64_t handlers, values; /* from 3.11 on: the table of handlers, the value stack */
	unsigned first_line;
	bool shown; /* false for frames that Python omits from tracebacks */
};

#define WALK_CHUNK 512 /* a few frames from 3.11 on, which are adjacent */
struct walk {
	const struct cpython *py;
	uint64_t next; /* 0 after the outermost frame */
	unsigned left;
	uint64_t from; /* address of chunk[0] */
	size_t have;
	char chunk[WALK_CHUNK];
};

/* Starts a walk at a thread's innermost frame; 0: no frames. */
void walk_open(struct walk *walk, const struct cpython *py, uint64_t frame);

/* Steps to the next frame that Python would show; false at the end, or if memory makes no sense. */
bool walk_on(struct walk *walk, struct frame *frame);

/*
 * Steps to the next frame of any kind without reading its code object: about a third of a peek from
 * 3.11 on.
 */
bool walk_step(struct walk *walk, struct frame *frame);

/* Whether such a frame only stands for calls from C: it runs no code, and lies on the thread's own stack. */
bool frame_is_of_c(const struct frame *frame);

/* Reads the code object of a frame from walk_step; false: it is none. */
bool frame_read_code(const struct cpython *py, struct frame *frame);

/* Compares the ends of the function's qualified name and of the file's name. */
bool frame_is(const struct cpython *py, const struct frame *frame, const char *function,
	      const char *file);

/* Strips the tag bits of a _PyStackRef of 3.14, which say whether it is counted; 0: it is none. */
uint64_t frame_untagged(const struct cpython *py, uint64_t reference);

/* A local variable or argument, by index; 0: unbound, or not readable. */
uint64_t frame_local(const struct cpython *py, const struct frame *frame, unsigned i);

/*
 * A line of the frame's code, without a line feed, in the format of cpython_stack; returns the length,
 * 0: the line is 0, or there is too little room.
 */
size_t frame_line_text(const struct cpython *py, const struct frame *frame, unsigned line,
		       char *text, size_t bytes);

/* ---- what a thread's frames say, `frame` being the innermost one; see python.h ---- */

/* `room`: too large for the stacks that hooks run on, and nothing to the caller. */
size_t cpython_stack(const struct cpython *py, uint64_t frame, struct walk *room, char *text,
		     size_t bytes);
size_t cpython_thread_name(const struct cpython *py, uint64_t frame, char *text, size_t bytes);
size_t cpython_thread_function(const struct cpython *py, uint64_t frame, char *text, size_t bytes);
enum mpsan_thread_role cpython_role(const struct cpython *py, uint64_t frame);
