/*
 * The tables that the command and the library are made of, as rows for those who describe them. Neighbours:
 * mdoc.c writes manual pages from them, words.c completions, expand.c puts both into templates.
 */
#ifndef MPSAN_MAN_TABLES_H
#define MPSAN_MAN_TABLES_H

#include <stdbool.h>
#include <stdio.h>

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
/* One row of policies.def: the policy's name and what it is for, its floor (no rule), or the grade of a rule. */
struct policy_row {
	const char *policy, *rule, *grade, *help;
};

/* All up to a row without a name. */
extern const struct command_row table_commands[];
extern const struct setting_row table_options[];
extern const struct named_row table_rules[], table_formats[], table_launchers[], table_topics[];
extern const struct policy_row table_policies[];

/* Whether a value stands behind the option as a word of its own, or it must have one. */
static inline bool takes_word(const struct setting_row *row)
{
	return *row->argument && *row->argument != '[';
}

/* The functions of a library of hooks.def that are intercepted; NULL: of all. */
unsigned table_hooks(const char *library);

/* The sub-commands that read options: their names, and what stands for them in `where`. */
struct place_row {
	const char *name;
	int where;
};
extern const struct place_row table_places[];

#endif
