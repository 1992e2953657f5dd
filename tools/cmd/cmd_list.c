/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mpsan list: prints the tables that are compiled into this program. Neighbours: shim/hooks.def,
 * ../include.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/suggest.h"
#include "../findings/grades.h"
#include "../rules/catalog.h"
#include "command.h"
#include "options.h"

static int list_hooks(void)
{
#define HOOK(library, name, kind) printf("%-10s %-40s %s\n", #library, #name, #kind);
#include "../../shim/hooks.def"
#undef HOOK
	return 0;
}

static int list_events(void)
{
#define FIELD(name, format) " " #name
#define EVENT(name, use, meaning, fields) \
	printf("%-16s %s\n%-16s  %s\n", #name, meaning, "", fields);
#define BLOB(name, meaning) printf("%-16s %s\n", #name, meaning);
#include "../../include/mpsan_events.def"
#undef EVENT
#undef BLOB
#undef FIELD
	return 0;
}

static int list_rules(void)
{
#define RULE(id, slug, triggers, title, hazard, evidence, grading, fix, source) \
	printf("%-26s %s%s\n", slug, title, rule_is_preset(RULE_##id) ? "" : " (off by default)");
#include "../../include/mpsan_rules.def"
#undef RULE
	return 0;
}

static int list_formats(void)
{
	for (const struct report_format *format = report_formats; format->name; format++)
		printf("%-10s %s\n", format->name, format->help);
	return 0;
}

/* Prints the grade of one rule, or the lowest grade that is shown. */
static void print_policy_row(const struct policy_grade *row)
{
	const char *grade = row->grade == GRADE_AS_FOUND ? "as found" : grade_text(row->grade);

	if (row->rule == RULE_COUNT)
		printf("    findings below %s are not shown\n", grade);
	else
		printf("    %-28s %s%s\n", rule_slug(row->rule), row->is_least ? "at least " : "",
		       grade);
}

static int list_policies(void)
{
	for (const struct policy *policy = policies; policy->name; policy++) {
		printf("%-10s %s\n", policy->name, policy->help);
		for (const struct policy_grade *row = policy_rows; row->policy; row++)
			if (!strcmp(row->policy, policy->name))
				print_policy_row(row);
	}
	return 0;
}

static int list_options(void)
{
	options_print(stdout, 0);
	return 0;
}

static const struct {
	const char *name;
	int (*list)(void);
} tables[] = {
	{"hooks", list_hooks},
	{"events", list_events},
	{"rules", list_rules},
	{"options", list_options},
	{"formats", list_formats},
	{"policies", list_policies},
	{0},
};

static const char *table_name(size_t number)
{
	return tables[number].name;
}

static int no_such_table(const char *name)
{
	AUTO_FREE char *near = suggest_names(name, table_name);

	return complain(
		"list: no such table: %s%s; use hooks, events, rules, options, formats or policies",
		name, near);
}

int cmd_list(int argc, char **argv)
{
	if (usage_asked(argc, argv, usage_list))
		return 0;
	if (argc != 2)
		return complain(
			"list: one table expected: hooks, events, rules, options, formats or policies");
	for (size_t i = 0; tables[i].name; i++)
		if (!strcmp(tables[i].name, argv[1]))
			return tables[i].list();
	return no_such_table(argv[1]);
}
