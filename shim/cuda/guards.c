/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sees what guards answer in a forked child, and which exceptions tell of a refusal. A guard is found before the fork,
 * where the modules stand still, and diverted in the child only: see shim/decisions/0014-refused-by-a-guard.md.
 */
#include "guards.h"

#include <string.h>

#include "../intercept/hook.h"
#include "../intercept/sys.h"
#include "../python/python.h"
#include "cuda.h"

enum {
#define GUARD(id, ...) GUARD_##id,
#include "../../include/mpsan_guards.def"
#undef GUARD
	GUARDS
};

enum when {
	WHEN_TRUE,
	WHEN_ANY,
};

/* Without pointers: nothing to relocate at the start of a program. */
static const struct row {
	enum when when;
	char framework[12], device[8], module[32], asked[24], asks[16], raises[20], frees[8],
		file[32];
	char type[20], text[56];
} rows[] = {
#define GUARD(id, framework, device, module, asked, when, asks, raises, frees, file, type, text, \
	      fix)                                                                               \
	{WHEN_##when, framework, device, module, asked, asks, raises, frees, file, type, text},
#include "../../include/mpsan_guards.def"
#undef GUARD
};

#define IS_CUDA(i) text_equal(rows[i].device, "CUDA")

/* As vectorcallfunc. */
typedef void *entry(void *callable, void *const *arguments, uint64_t count, void *names);

static struct python_callable guards[GUARDS] LARGE;
static bool diverted[GUARDS] LARGE; /* for good, in this process and its children */
STATE static uint64_t modules; /* when they were looked for last */

void guards_before_fork(void)
{
	uint64_t now;

	if (!(cuda.initialised || cuda.inherited) || !python_holds_gil())
		return;
	now = python_modules();
	if (now == modules)
		return;
	modules = now;
	for (unsigned i = 0; i < GUARDS; i++)
		if (rows[i].asked[0] && !diverted[i] &&
		    !python_callable(rows[i].module, rows[i].asked, &guards[i]))
			guards[i].object = 0;
}

static unsigned row_of(const void *callable)
{
	unsigned i = 0;

	while (i < GUARDS && guards[i].object != (uint64_t)(uintptr_t)callable)
		i++;
	return i;
}

/* A child that lets go of what it inherited does not use it. */
static bool lets_go(const struct row *row)
{
	return python_calls("__del__", "") || python_calls("__call__", "weakref.py") ||
	       (row->frees[0] && python_calls(row->frees, row->file));
}

/* `answer` is NULL if an exception was raised. */
static bool refuses(const struct row *row, const void *answer)
{
	bool counts = row->when == WHEN_TRUE ? (uint64_t)(uintptr_t)answer == python_true() :
					       answer != NULL;

	return counts && python_called_by(row->asks, row->raises, row->file) && !lets_go(row);
}

static void *guards_asked(void *callable, void *const *arguments, uint64_t count, void *names)
{
	unsigned i = row_of(callable);
	void *answer = ((entry *)(uintptr_t)guards[i].function)(callable, arguments, count, names);

	if (refuses(&rows[i], answer))
		cuda_refused_by(i + 1, rows[i].framework,
				rows[i].raises[0] ? rows[i].raises : rows[i].asks, CALLER);
	return answer;
}

/* ---- by an exception ---- */

/* Where this byte is, or the end. */
static const char *at_byte(const char *text, char byte)
{
	while (*text && *text != byte)
		text++;
	return text;
}

static bool ends(const char *text, const char *end, const char *with)
{
	size_t length = strlen(with);

	return (size_t)(end - text) >= length && !memcmp(end - length, with, length);
}

static bool has(const char *text, const char *piece)
{
	while (*text && !text_starts(text, piece))
		text++;
	return text_starts(text, piece);
}

static bool raised_in(const char *frames, const char *function, const char *file)
{
	const char *name_end = at_byte(frames, '\t'), *path = name_end + (*name_end == '\t');

	return ends(frames, name_end, function) && ends(path, at_byte(path, '\t'), file);
}

static bool tells(unsigned i, const char *type, const char *text, const char *frames)
{
	const struct row *row = &rows[i];
	bool asked = row->asked[0];

	return !diverted[i] && ends(type, at_byte(type, '\0'), row->type) && has(text, row->text) &&
	       raised_in(frames, asked && row->raises[0] ? row->raises : row->asks, row->file) &&
	       (asked || has(frames, row->raises)) && !lets_go(row) && !has(frames, "__del__\t") &&
	       !has(frames, "weakref.py\t");
}

void guards_raised(const char *type, const char *text, const char *frames)
{
	for (unsigned i = 0; i < GUARDS; i++)
		if ((cuda.inherited || !IS_CUDA(i)) && tells(i, type, text, frames)) {
			cuda_refused_raising(i + 1, rows[i].framework, rows[i].device, frames);
			return;
		}
}

FORKED void guards_put(void)
{
	for (unsigned i = 0; i < GUARDS; i++)
		if (guards[i].object && !diverted[i])
			diverted[i] = python_divert(&guards[i], (const void *)guards_asked);
}
