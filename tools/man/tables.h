/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables of the command and the library, as rows for documentation. Neighbours: mdoc.c writes
 * manual pages from them, words.c completions, expand.c puts both into templates.
 */
#pragma once

#include <stdbool.h>

struct command_row {
	const char *name, *arguments, *help;
};
struct setting_row {
	const char *name, *argument, *preset;
	int where; /* enum option_where */
	const char *help;
};
struct named_row {
	const char *name, *help;
};
/*
 * A row of policies.def: the policy with its description, its floor (no rule), or the grade of a
 * rule.
 */
struct policy_row {
	const char *policy, *rule, *grade, *help;
};

/* All are terminated by a row without a name. */
extern const struct command_row table_commands[];
extern const struct setting_row table_options[];
extern const struct named_row table_rules[], table_formats[], table_launchers[], table_topics[];
extern const struct policy_row table_policies[];

/* Whether the option's value is a word of its own, or required. */
static inline bool takes_word(const struct setting_row *row)
{
	return *row->argument && *row->argument != '[';
}

/* The number of functions that hooks.def intercepts in a library; NULL: in all. */
unsigned table_hooks(const char *library);

/* The sub-commands that read options, and their bits in `where`. */
struct place_row {
	const char *name;
	int where;
};
extern const struct place_row table_places[];
