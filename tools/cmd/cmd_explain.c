/* SPDX-License-Identifier: Apache-2.0 */
/* mpsan explain: describes a rule, from its row. Neighbour: ../include/mpsan_rules.def. */
#include <stdio.h>
#include <string.h>

#include "../base/fix_text.h"
#include "../base/suggest.h"
#include "../base/util.h"
#include "../base/wrap.h"
#include "../findings/grades.h"
#include "../rules/catalog.h"
#include "command.h"

static void print_part(const char *title, const char *text)
{
	printf("\n%s\n  ", title);
	wrap_print(stdout, 2, text);
}

/* A grade begins a line of its own. */
static void break_lines(char *text)
{
	static const char *const grades[] = {". error: ", ". warning: ", ". note: "};

	for (size_t i = 0; i < sizeof(grades) / sizeof(*grades); i++)
		for (char *at = strstr(text, grades[i]); at; at = strstr(at + 1, grades[i]))
			at[1] = '\n';
}

/* The grades, and when nothing is said. */
static void print_grading(const char *grading)
{
	static const char silent[] = "Silent:";
	const char *rest = strstr(grading, silent);
	AUTO_FREE char *grades =
		text_format("%.*s", rest ? (int)(rest - grading) : (int)strlen(grading), grading);

	break_lines(grades);
	print_part("Grades", grades);
	if (rest)
		print_part("When it is silent",
			   rest + strlen(silent) + strspn(rest + strlen(silent), " \n"));
}

static int complain_of_rule(const char *slug)
{
	AUTO_FREE char *near = suggest_names(slug, rule_name);

	complain("explain: no such rule: %s%s; 'mpsan list rules' lists them", slug, near);
	return STATUS_USAGE;
}

int cmd_explain(int argc, char **argv)
{
	const struct rule_words *words;
	AUTO_FREE char *fix = NULL;
	enum rule_id rule;

	if (usage_asked(argc, argv, usage_explain))
		return 0;
	if (argc != 2)
		return complain(
			"explain: exactly one rule expected; 'mpsan list rules' lists them");
	rule = rule_find(argv[1]);
	if (rule == RULE_COUNT)
		return complain_of_rule(argv[1]);
	words = rule_words(rule);
	fix = fix_for(words->fix, FIX_FOR_ALL);
	printf("%s: %s\n", argv[1], words->title);
	print_part("Why it matters", words->hazard);
	print_part("How it is known", words->evidence);
	print_grading(words->grading);
	if (!rule_is_preset(rule))
		printf("\nOff by default\n  enable it with mpsan run --rule %s=warning\n", argv[1]);
	print_part("The cure", fix);
	print_part("Source", words->source);
	return 0;
}
