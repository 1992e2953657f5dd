/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of a call site that is equal in other runs, checkouts, machines and versions of Python:
 * the program's own functions, and what they call by name. Frames inside Python, installed
 * libraries and the C library differ between versions and between stripped and unstripped builds;
 * they count only if there is nothing else. Neighbour: callsite.h.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/jsontext.h"
#include "callsite.h"

#define KEY_FRAMES_MAX 24u
#define FAR 3

void callsite_hash_text(uint64_t *hash, const char *text)
{
	*hash = hash_add(hash_text(*hash, text ? text : ""), 0xff);
}

/*
 * The offset of a lock within a larger object differs between builds: "_PyRuntime+0x2f8" counts as
 * _PyRuntime.
 */
void callsite_hash_lock(uint64_t *hash, const char *key)
{
	const char *offset = strstr(key, "+0x");
	AUTO_FREE char *object =
		text_format("%.*s", (int)(offset ? offset - key : (long)strlen(key)), key);

	callsite_hash_text(hash, object);
}

void callsite_hash_frame(uint64_t *hash, const json_t *frame)
{
	AUTO_FREE char *key = frame ? frame_key(frame) : NULL;

	callsite_hash_text(hash, key);
}

static const char *function_of(const json_t *frame)
{
	return json_string_value(json_object_get(frame, "function"));
}

/* Comprehensions have frames of their own up to Python 3.11, and none from 3.12 on. */
static bool is_inlined(const char *function)
{
	size_t length = strlen(function);

	return length > 6 && !strcmp(function + length - 5, "comp>");
}

static int nearest(json_t *list)
{
	json_t *frame;
	int best = FAR;

	JSON_EACH(frame, list) {
		int distance = function_of(frame) ? frame_distance(frame) : FAR;

		if (distance < best)
			best = distance;
	}
	return best;
}

/*
 * The name of the library function that a line calls identifies the line better than its number,
 * which changes with every edit.
 */
static void hash_called(uint64_t *hash, const json_t *called, int best)
{
	const char *function = called ? function_of(called) : NULL, *dot;

	if (!function || json_object_get(called, "module") || frame_distance(called) <= best)
		return;
	dot = strrchr(function, '.');
	callsite_hash_text(hash, dot ? dot + 1 : function);
}

static void hash_frames(uint64_t *hash, json_t *list)
{
	int best = nearest(list);
	const json_t *called = NULL;
	char *last = NULL;
	uint32_t kept = 0;
	json_t *frame;

	JSON_EACH(frame, list) {
		const char *function = function_of(frame);
		char *key = function && kept < KEY_FRAMES_MAX && !is_inlined(function) &&
					    frame_distance(frame) <= best ?
				    frame_key(frame) :
				    NULL;

		/* recursion counts once, however deep */
		if (key && !(last && !strcmp(last, key))) {
			hash_called(hash, called, best);
			callsite_hash_text(hash, key);
			kept++;
		}
		if (!function || !is_inlined(function))
			called = frame;
		if (key) {
			free(last);
			last = key;
		}
	}
	free(last);
}

/*
 * Hashes Python frames if there are any: the native frames below are the interpreter's and differ
 * between builds. A place in Python is one of its frames; a native one may not be.
 */
void callsite_hash(uint64_t *hash, const struct callsite *callsite)
{
	if (json_is_string(json_object_get(callsite->frame, "module")))
		callsite_hash_frame(hash, callsite->frame);
	hash_frames(hash, json_array_size(callsite->python) ? callsite->python : callsite->native);
}
