/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stacks as lists of frames of the JSON report. Neighbours: ../symbolizer/symbolizer.h and symbols.h do the
 * work for native stacks, frame.h words a frame, evidence.h puts frames into findings.
 */
#pragma once

#include <jansson.h>

#include "../reader/reader.h"
#include "frame.h"

struct frames;

struct frames *frames_create(const struct reader *reader);
void frames_destroy(struct frames *frames);

/*
 * The stack at `pos` of the log of `at.slot`, as seen by process `at.by`; innermost frame first. A
 * new reference to an array, empty if there is no stack.
 */
json_t *frames_native(struct frames *frames, const struct fact_place *at, uint64_t pos);

/* The Python frames at `pos`; a new reference to an array. */
json_t *frames_python(const struct frames *frames, const struct fact_place *at, uint64_t pos);

/*
 * Python frames given as text (see shim/python/python.h), NULL for none; a new reference to an
 * array.
 */
json_t *frames_python_text(const char *text);

/*
 * A stack that is not in a log, copied at `at.time_ns`; the raw stack follows the head. A new
 * reference to an array.
 */
json_t *frames_unwind(struct frames *frames, const struct fact_place *at,
		      const struct mpsan_stack *head);

/* Reads a living process's modules from /proc, for `time_ns` and later. */
void frames_learn(struct frames *frames, uint32_t slot, uint32_t pid, uint64_t time_ns);

/* Forgets what was read of an ended process. */
void frames_forget(struct frames *frames, uint32_t slot);

/*
 * The compilation directory of a native frame whose file name is relative; borrowed. NULL: unknown.
 */
const char *frames_built_in(const struct frames *frames, const json_t *frame);

/* Adds the source line of the most important frame of a stack as `source`: see sources.h. */
void frames_show(struct frames *frames, const struct fact_place *at, json_t *stack);

/*
 * The frame of a return address; NULL if it is 0. Of functions that were inlined there, the first
 * that is not in a header of the C++ library.
 */
json_t *frame_of_caller(struct frames *frames, const struct fact_place *at, uint64_t caller);

/*
 * The same, or the first frame of `native` that is the program's own if that one is in the C++
 * library.
 */
json_t *frame_of_call(struct frames *frames, const struct fact_place *at, uint64_t caller,
		      json_t *native);

/* The function that begins at `entry`, else NULL; the caller frees it. */
char *frames_function(struct frames *frames, const struct fact_place *at, uint64_t entry);

/* The static object at `address`, else NULL; the caller frees it. */
char *frames_object(struct frames *frames, const struct fact_place *at, uint64_t address);
