/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the frames of a step: the important ones, or with --verbose all. */
#include "text_frames.h"

#include <string.h>

#include "../base/jsontext.h"
#include "../base/line.h"
#include "../base/util.h"
#include "../symbolizer/origin.h"
#include "../symbols/frame.h"
#include "../symbols/function_name.h"

#define FRAMES_SHOWN 40u
#define FRAMES_BRIEF 20u /* of all steps together */
#define BRIEF_LEAST 4u
#define FOLD_LEAST 2u /* consecutive frames that are worth folding */

/* Libraries between the program and what it waits for: their frames are folded. */
static const struct {
	const char *part; /* of the file's path */
	const char *name;
} machinery[] = {
	{"/torch/multiprocessing/", "torch.multiprocessing"},
	{"/multiprocessing/", "multiprocessing"},
	{"/concurrent/futures/", "concurrent.futures"},
	{"/asyncio/", "asyncio"},
	{"/threading.py", "threading"},
	{"/subprocess.py", "subprocess"},
	{"<frozen importlib", "importlib"},
	{"/logging/__init__.py", "logging"},
	{"/_pytest/", "pytest"},
	{"/pluggy/", "pytest"}, /* between pytest and itself */
	{"/pytest/", "pytest"},
	{"/runpy.py", "runpy"},
	{"<frozen runpy>", "runpy"},
};

/* The C runtime below every main function and thread. */
static const char *const runtime[] = {"_start",
				      "__libc_start_main",
				      "__libc_start_call_main",
				      "start_thread",
				      "__clone3",
				      "clone3",
				      "__clone",
				      "clone"};

static void print_frame(FILE *out, size_t number, const json_t *frame)
{
	const char *file = jsontext_at(frame, "file"), *module = jsontext_at(frame, "module");
	AUTO_FREE char *function = function_name_short(jsontext_at(frame, "function"));

	fprintf(out, "       #%zu ", number);
	line_put(out, *function ? function : "??");
	if (*file) {
		fputc(' ', out);
		line_put(out, file);
		if (jsontext_number(frame, "line"))
			fprintf(out, ":%lld", jsontext_number(frame, "line"));
	}
	if (json_is_true(json_object_get(frame, "inlined"))) {
		fputs(" (inlined)", out);
	} else if (*module) {
		fputs(" (", out);
		line_put(out, path_base(module));
		fprintf(out, "+0x%llx)", jsontext_number(frame, "offset"));
	} else if (!*file) {
		fprintf(out, " (0x%llx)", jsontext_number(frame, "offset"));
	}
	fputc('\n', out);
	if (*jsontext_at(frame, "source"))
		fprintf(out, "            %s\n", jsontext_at(frame, "source"));
}

/* The library that a frame belongs to; NULL: the program or any other. */
static const char *machinery_of(const json_t *frame)
{
	const char *file = jsontext_at(frame, "file");

	for (size_t i = 0; i < sizeof(machinery) / sizeof(*machinery); i++)
		if (strstr(file, machinery[i].part))
			return machinery[i].name;
	if (origin_is_rust(file))
		return "Rust's library";
	return frame_is_header(frame) ? "the C++ library" : NULL;
}

static bool is_machinery_of(const json_t *frame, const char *name)
{
	const char *of = machinery_of(frame);

	return of && !strcmp(of, name);
}

/* How many consecutive ones of the first `size` frames belong to the same library. */
static size_t run_from(const json_t *frames, size_t size, size_t first)
{
	const char *name = machinery_of(json_array_get(frames, first));
	size_t at = first;

	while (name && at < size && is_machinery_of(json_array_get(frames, at), name))
		at++;
	return at - first;
}

/* Prints the first `size` frames with those of libraries folded. The innermost frame is always shown. */
static void print_folded(FILE *out, const json_t *frames, size_t size, size_t shown)
{
	size_t lines = 0, i = 0;

	while (i < size && lines < shown) {
		size_t run = i ? run_from(frames, size, i) : 0;

		if (run >= FOLD_LEAST) {
			fprintf(out, "       … %zu frames of %s\n", run,
				machinery_of(json_array_get(frames, i)));
			i += run;
		} else {
			print_frame(out, i, json_array_get(frames, i));
			i++;
		}
		lines++;
	}
	if (i < size)
		fprintf(out, "       … %zu more\n", size - i);
}

/* Prints the first `size` frames, at most `shown`. */
static void print_first(FILE *out, const char *title, const json_t *frames, size_t size,
			size_t shown)
{
	if (!size || !shown)
		return;
	fprintf(out, "     %s:\n", title);
	for (size_t i = 0; i < size && i < shown; i++)
		print_frame(out, i, json_array_get(frames, i));
	if (size > shown)
		fprintf(out, "       … %zu more\n", size - shown);
}

/*
 * Of native frames below Python frames only those above the interpreter's are new: up to its first
 * named frame.
 */
static size_t native_above(const json_t *frames)
{
	json_t *frame;
	size_t i;

	json_array_foreach(frames, i, frame) {
		const char *function = jsontext_at(frame, "function");

		if (strstr(function, "PyEval_") || strstr(function, "PyObject_") ||
		    strstr(function, "Vectorcall"))
			return i;
	}
	return FRAMES_SHOWN;
}

static bool is_runtime(const json_t *frame)
{
	const char *function = jsontext_at(frame, "function");

	for (size_t i = 0; i < sizeof(runtime) / sizeof(*runtime); i++)
		if (!strncmp(function, runtime[i], strcspn(function, "@")) &&
		    strlen(runtime[i]) == strcspn(function, "@"))
			return true;
	return false;
}

/* The number of frames without the C runtime's outermost ones. */
static size_t native_size(const json_t *frames)
{
	size_t size = json_array_size(frames);

	while (size && is_runtime(json_array_get(frames, size - 1)))
		size--;
	return size;
}

static void print_brief(FILE *out, const json_t *python, const json_t *native, size_t steps)
{
	const json_t *frames = json_array_size(python) ? python : native;
	size_t shown = FRAMES_BRIEF / (steps ? steps : 1);

	print_folded(out, frames, frames == native ? native_size(native) : json_array_size(frames),
		     shown < BRIEF_LEAST ? BRIEF_LEAST : shown);
}

void text_frames(FILE *out, const json_t *step, size_t steps, bool verbose)
{
	const json_t *python = json_object_get(step, "python"),
		     *native = json_object_get(step, "stack");
	size_t shown = json_array_size(python) ? native_above(native) : FRAMES_SHOWN;

	if (!verbose) {
		print_brief(out, python, native, steps);
		return;
	}
	print_first(out, "Python", python, json_array_size(python), FRAMES_SHOWN);
	print_first(out, "native", native, json_array_size(native), shown);
}
