/* SPDX-License-Identifier: Apache-2.0 */
/* Judges and words frames of the JSON report. */
#include "frame.h"

#include <stdlib.h>
#include <string.h>

#include "../base/jsontext.h"
#include "../base/util.h"
#include "../symbolizer/origin.h"
#include "function_name.h"

bool frame_is_header(const json_t *frame)
{
	static const char *const begin[] = {
		"std::", "__gthread_", "__gnu_cxx::", "<std::", "<core::", "<alloc::"};
	const char *function = json_string_value(json_object_get(frame, "function"));
	const char *file = json_string_value(json_object_get(frame, "file"));

	for (size_t i = 0; function && i < sizeof(begin) / sizeof(*begin); i++)
		if (!strncmp(function, begin[i], strlen(begin[i])))
			return true;
	return file && origin_is_header(file);
}

json_t *frames_first_own(json_t *native)
{
	json_t *frame, *first = NULL;

	JSON_EACH(frame, native) {
		const char *module = json_string_value(json_object_get(frame, "module"));

		if (!module || origin_is_plumbing(module))
			continue;
		if (!first)
			first = frame;
		if (!frame_is_header(frame))
			return frame;
	}
	return first;
}

/* Of Cython, in a traceback: relative to where it was compiled, mostly elsewhere. */
static bool is_compiled(const char *file)
{
	size_t length = strlen(file);

	return file[0] != '/' && length > 4 && !strcmp(file + length - 4, ".pyx");
}

/* 0: the user's program, 1: an installed package, 2: Python's standard library. */
static int frames_distance(const char *file)
{
	if (strstr(file, "/site-packages/") || strstr(file, "/dist-packages/") || is_compiled(file))
		return 1;
	return strstr(file, "/lib/python") || strstr(file, "/lib64/python") || file[0] == '<' ? 2 :
												0;
}

/* The first frame of multiprocessing in a child: the outer ones are its parent's, from the fork. */
static bool is_birth(const char *file, const char *function)
{
	const char *name = function ? strrchr(function, '.') : NULL;

	return function && !strcmp(name ? name + 1 : function, "_bootstrap") &&
	       strstr(file, "/multiprocessing/process.py");
}

json_t *frames_first_script(json_t *python)
{
	json_t *frame, *best = NULL;
	int nearest = 3;

	JSON_EACH(frame, python) {
		const char *file = json_string_value(json_object_get(frame, "file"));
		const char *function = json_string_value(json_object_get(frame, "function"));

		if (file && frames_distance(file) < nearest) {
			nearest = frames_distance(file);
			best = frame;
		}
		if (file && is_birth(file, function))
			break;
	}
	return best;
}

/*
 * The program's own line outside of a child's first frame, if there is none inside: where its
 * parent forked.
 */
static json_t *birthplace(json_t *python)
{
	json_t *frame;
	bool outside = false;

	JSON_EACH(frame, python) {
		const char *file = json_string_value(json_object_get(frame, "file"));

		if (file && !frames_distance(file))
			return outside ? frame : NULL;
		outside = outside ||
			  (file &&
			   is_birth(file, json_string_value(json_object_get(frame, "function"))));
	}
	return NULL;
}

char *frames_place(const json_t *frame, json_t *python)
{
	char *text = frame_text(frame), *made = NULL, *both;

	if (frame && frame == frames_first_script(python))
		made = frame_text(birthplace(python));
	if (!made)
		return text;
	both = text_format("%s in the child made at %s", text, made);
	free(text);
	free(made);
	return both;
}

char *frame_text(const json_t *frame)
{
	const char *name = json_string_value(json_object_get(frame, "function"));
	AUTO_FREE char *function = name ? function_name_short(name) : NULL;
	const char *module = json_string_value(json_object_get(frame, "module"));
	const char *file = json_string_value(json_object_get(frame, "file"));
	long long line = json_integer_value(json_object_get(frame, "line"));
	long long offset = json_integer_value(json_object_get(frame, "offset"));

	if (!frame)
		return NULL;
	if (function && file && line && !origin_is_header(file))
		return text_format("%s (%s:%lld)", function, path_base(file), line);
	if (function && file && !origin_is_header(file))
		return text_format("%s (%s)", function, path_base(file));
	if (!module)
		return text_format("0x%llx", offset);
	if (function)
		return text_format("%s (%s+0x%llx)", function, path_base(module), offset);
	return text_format("%s+0x%llx", path_base(module), offset);
}

/*
 * The name as in all versions of Python and compilers: without the class, which Python has from
 * 3.11 on, and without gcc's and clang's suffixes of partial functions.
 */
static char *plain_name(const char *function, bool python)
{
	const char *dot = python ? strrchr(function, '.') : NULL, *end;

	if (dot && dot[1])
		function = dot + 1;
	end = strstr(function, " [clone ");
	if (!python && !end && function[0] != '.' && !strchr(function, '('))
		end = strchr(function, '.');
	return text_format("%.*s", (int)(end ? end - function : (long)strlen(function)), function);
}

/*
 * The file without its version: libgomp-a34b3233.so.1 is libgomp, and every interpreter is python.
 */
static char *plain_module(const char *module)
{
	const char *base = path_base(module);
	size_t length = strcspn(base, "-.");

	while (length > 1 && base[length - 1] >= '0' && base[length - 1] <= '9')
		length--;
	if (length == strlen("libpython") && !strncmp(base, "libpython", length))
		return text_copy("python");
	return text_format("%.*s", (int)length, base);
}

static bool is_interpreter(const char *module)
{
	AUTO_FREE char *plain = plain_module(module);

	return !strcmp(plain, "python");
}

/*
 * The file that tells functions of one name in different programs apart: the source file, else the
 * program's own. A library has its functions' names to itself, and may lack debug information.
 */
static char *home_of(const json_t *frame, const char *module, const char *file)
{
	bool own = !module || !frame_distance(frame);

	if (file && own && !(module && origin_is_header(file)))
		return text_copy(path_base(file));
	return module && own ? plain_module(module) : text_copy("");
}

char *frame_key(const json_t *frame)
{
	const char *function = json_string_value(json_object_get(frame, "function"));
	const char *module = json_string_value(json_object_get(frame, "module"));
	const char *file = json_string_value(json_object_get(frame, "file"));
	char *where = module ? plain_module(module) : NULL;
	AUTO_FREE char *name = NULL, *home = NULL;

	if (where && (!function || !strcmp(where, "python")))
		return where;
	free(where);
	if (!function)
		return text_copy("?");
	name = plain_name(function, !module);
	home = home_of(frame, module, file);
	return text_format("%s@%s", name, home);
}

int frame_distance(const json_t *frame)
{
	const char *module = json_string_value(json_object_get(frame, "module"));
	const char *file = json_string_value(json_object_get(frame, "file"));

	if (!module)
		return file ? frames_distance(file) : 2;
	if (origin_is_plumbing(module) || is_interpreter(module))
		return 2;
	return !strncmp(module, "/usr/lib", 8) || !strncmp(module, "/lib", 4) ||
	       frames_distance(module);
}
