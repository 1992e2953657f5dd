/*
 * The texts of all rules: every name in braces has its row in args.def or is a field of an event, and every row
 * stands in some text. Neighbours: tools/rules/rule.h (MESSAGE), tools/evidence/args.h.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/fix_text.h"
#include "base/util.h"
#include "evidence/args.h"
#include "reader/fields.h"
#include "rules/catalog.h"
#include "rules/rule.h"

static bool in_text[ARG_COUNT];

static bool is_field(const char *name, size_t length)
{
	for (unsigned type = EVENT_FACT_FIRST; type < EV_COUNT; type++)
		for (const struct field *field = event_fields(type); field && field->name; field++)
			if (strlen(field->name) == length && !strncmp(field->name, name, length))
				return true;
	return false;
}

static bool is_known(const char *name, size_t length)
{
	size_t prefix = strlen(ARGS_OF_CAUSE);
	bool known = is_field(name, length) ||
		     (length > prefix && !strncmp(name, ARGS_OF_CAUSE, prefix) &&
		      is_field(name + prefix, length - prefix));

	for (unsigned arg = 0; arg < ARG_COUNT; arg++)
		if (strlen(arg_name(arg)) == length && !strncmp(arg_name(arg), name, length))
			known = in_text[arg] = true;
	return known;
}

static void look_through(const char *text)
{
	for (const char *open = text ? strchr(text, '{') : NULL; open;
	     open = strchr(open + 1, '{')) {
		const char *shut = strchr(open, '}');

		if (!shut || !is_known(open + 1, shut - open - 1))
			fail_msg("no name of args.def, nor a field of an event: \"%.*s\" in \"%s\"",
				 shut ? (int)(shut + 1 - open) : (int)strlen(open), open, text);
	}
}

static void every_name_in_a_text_is_known(void **state)
{
	(void)state;
	rules_run(&(struct facts){0}, &(struct trigger){0}, NULL); /* links all rules */
	assert_true(__stop_mpsan_messages - __start_mpsan_messages > RULE_COUNT);
	for (const struct message_text *text = __start_mpsan_messages; text < __stop_mpsan_messages;
	     text++) {
		look_through(text->message);
		for (unsigned i = 0; i < STEPS_MAX; i++)
			look_through(text->step[i].what);
	}
	for (unsigned rule = 0; rule < RULE_COUNT; rule++)
		for (int reader = FIX_FOR_ALL; reader <= FIX_FOR_NATIVE; reader++) {
			AUTO_FREE char *fix = fix_for(rule_fix(rule), reader);

			look_through(fix);
			assert_true(*fix && !strchr(" ,;", *fix));
		}
}

static void fixes(const char *fix, const char *all, const char *python, const char *native)
{
	AUTO_FREE char *for_all = fix_for(fix, FIX_FOR_ALL),
		       *for_python = fix_for(fix, FIX_FOR_PYTHON),
		       *for_native = fix_for(fix, FIX_FOR_NATIVE);

	assert_string_equal(for_all, all);
	assert_string_equal(for_python, python);
	assert_string_equal(for_native, native);
}

static void a_fix_speaks_the_language_of_its_program(void **state)
{
	(void)state;
	fixes("take {lock} first", "take {lock} first", "take {lock} first", "take {lock} first");
	fixes("fork first{python|, or spawn}{native|, or exec}", "fork first, or spawn, or exec",
	      "fork first, or spawn", "fork first, or exec");
	fixes("{python|join it}{native|; wait for it}", "join it; wait for it", "join it",
	      "wait for it");
	fixes("release it: {python|with}{native|, a guard}; always",
	      "release it: with, a guard; always", "release it: with; always",
	      "release it: a guard; always");
	fixes("{python|spawn", "spawn", "spawn", "");
}

static void every_row_stands_in_a_text(void **state)
{
	(void)state;
	for (unsigned arg = 0; arg < ARG_COUNT; arg++)
		if (!in_text[arg] && arg != ARG_named && arg != ARG_dead_named &&
		    arg != ARG_deadlock_named)
			fail_msg("no text holds {%s}: remove its row", arg_name(arg));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_name_in_a_text_is_known),
		cmocka_unit_test(every_row_stands_in_a_text),
		cmocka_unit_test(a_fix_speaks_the_language_of_its_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
