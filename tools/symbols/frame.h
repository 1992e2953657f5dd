/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames of the JSON report: whose they are, and their text. Neighbour: frames.h makes them.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>

/*
 * The first Python frame outside of the libraries through which programs fork and wait
 * (multiprocessing, threading and others), else the innermost; borrowed, NULL if there is none. A
 * forked child's frames of its parent do not count.
 */
json_t *frames_first_script(json_t *python);

/*
 * frame_text, and where the process was made if no part of that is the program's own; the caller
 * frees it.
 */
char *frames_place(const json_t *frame, json_t *python);

/* The first frame outside of the C library and mpsan; borrowed, NULL if there is none. */
json_t *frames_first_own(json_t *native);

/*
 * Whether a native frame is a function of the C++ library or of an installed header: the program's
 * own is further out.
 */
bool frame_is_header(const json_t *frame);

/* "function (file:line)" or the like; NULL for NULL; the caller frees it. */
char *frame_text(const json_t *frame);

/*
 * frame_text without what differs between runs, builds, checkouts or versions of Python; the caller
 * frees it.
 */
char *frame_key(const json_t *frame);

/*
 * 0: the program's own code, 1: an installed library, 2: Python's standard library or the C
 * library.
 */
int frame_distance(const json_t *frame);
