/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames of a Python stack as text, innermost first: "function TAB file TAB line" each. Pure. Neighbours: awaited.h says
 * what they mean, ../symbols/pyview.h and the logs have them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* A piece of text that does not end with a NUL. */
struct pytext {
	const char *text;
	size_t length;
};

struct pyframe {
	/* "" for a function of a module, and for all before Python 3.11, which do not name the class */
	struct pytext class;
	struct pytext function, file, line;
};

/* Takes the next frame off a text, and skips what is none; false: none is left. NULL is an empty text. */
bool pyframe_next(const char **text, struct pyframe *frame);
struct pyframe pyframe_of(struct pytext function, struct pytext file);

bool pytext_is(struct pytext piece, const char *text);
bool pytext_has(struct pytext piece, const char *text);
bool pytext_ends(struct pytext piece, const char *text);

/* Whether it is in this file, which begins with the name of a folder or file. */
bool pyframe_in(const struct pyframe *frame, const char *file);
/* Also whether it is this function or method, of any class; "": any. */
bool pyframe_is(const struct pyframe *frame, const char *function, const char *file);
/* Whether it is in the standard library. */
bool pyframe_is_standard(const struct pyframe *frame);
/* Whether any frame of a text is this function. */
bool pyframe_among(const char *text, const char *function, const char *file);
