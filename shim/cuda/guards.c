/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sees what guards answer in a forked child. A guard is found before the fork, where the modules stand still, and
 * diverted in the child only: see shim/decisions/0014-refused-by-a-guard.md.
 */
#include "guards.h"

#include "../intercept/hook.h"
#include "../python/python.h"
#include "../record/state.h"
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
	char framework[8], module[32], asked[24], asks[16], raises[16], frees[8], file[32];
} rows[] = {
#define GUARD(id, framework, module, asked, when, asks, raises, frees, file, ...) \
	{WHEN_##when, framework, module, asked, asks, raises, frees, file},
#include "../../include/mpsan_guards.def"
#undef GUARD
};

/* As vectorcallfunc. */
typedef void *entry(void *callable, void *const *arguments, uint64_t count, void *names);

STATE static struct python_callable guards[GUARDS];
STATE static bool diverted[GUARDS]; /* for good, in this process and its children */
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

FORKED void guards_put(void)
{
	for (unsigned i = 0; i < GUARDS; i++)
		if (guards[i].object && !diverted[i])
			diverted[i] = python_divert(&guards[i], (const void *)guards_asked);
}
