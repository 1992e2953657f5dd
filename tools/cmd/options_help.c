/* SPDX-License-Identifier: Apache-2.0 */
/* What options.h says of the rows: --help, and names that are near to a mistyped one. */
#include <string.h>

#include "../base/suggest.h"
#include "../base/wrap.h"
#include "command.h"
#include "options.h"

#define OPTIONS_MAX 64u
#define HELP_COLUMN 29u

bool option_is_optional(const struct option_def *row)
{
	return *row->argument == '[' || option_is_flag(row);
}

static void print_row(FILE *out, const struct option_def *row)
{
	AUTO_FREE char *left = text_format("  --%s%s%s", row->name,
					   option_is_optional(row) ? "" : " ", row->argument);
	AUTO_FREE char *right = text_format("%s%s%s%s", row->help, *row->preset ? " (default " : "",
					    row->preset, *row->preset ? ")" : "");

	if (strlen(left) < HELP_COLUMN)
		fprintf(out, "%-*s", (int)HELP_COLUMN, left);
	else
		fprintf(out, "%s\n%*s", left, (int)HELP_COLUMN, "");
	wrap_print(out, HELP_COLUMN, right);
}

void options_print(FILE *out, int where)
{
	const struct option_def *row;

	for (size_t i = 0; (row = options_row(i)); i++)
		if (!where || row->where & where)
			print_row(out, row);
}

static const char *near_row[OPTIONS_MAX + 1]; /* the names for options_suggest */

static const char *near_name(size_t number)
{
	return near_row[number];
}

char *options_suggest(const char *name, size_t length, int where)
{
	AUTO_FREE char *word = text_format("%.*s", (int)length, name);
	const struct option_def *row;
	size_t count = 0;

	for (size_t i = 0; (row = options_row(i)) && count < OPTIONS_MAX; i++)
		if (row->where & where)
			near_row[count++] = row->name;
	near_row[count] = NULL;
	return suggest_names(word, near_name);
}

int options_help(enum option_where where, const char *usage)
{
	usage_print(usage);
	putchar('\n');
	options_print(stdout, where);
	if (where == OPT_RUN)
		puts("exit status:\n"
		     "  the program's own if it failed (128+N for signal N), else\n"
		     "  66 (--exit-code) if a finding is at least as severe as --fail-on, else 0;\n"
		     "  66, too, when --on-deadlock killed the program, or 134 (its own) when a\n"
		     "  suppression has that finding;\n"
		     "  2 wrong usage, or a report cannot be written; 70 mpsan itself failed;\n"
		     "  126 the program cannot be executed, 127 it was not found.\n"
		     "If a resource limit or a full disk keeps mpsan from working, the program runs\n"
		     "unwatched with its own status, and one line on standard error says so.");
	return OPTIONS_HELP;
}
