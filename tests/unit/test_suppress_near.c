/* SPDX-License-Identifier: Apache-2.0 */
/* What a suppression that matched nothing may have meant. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "findings/suppress.h"

/* A finding with one frame of Python and one of C. */
static json_t *finding(const char *rule, const char *python, const char *native)
{
	return json_pack("{s:s, s:s, s:[{s:[{s:s, s:s}], s:[{s:s, s:s}]}]}", "rule", rule, "lock",
			 "cache_lock", "evidence", "python", "function", python, "file",
			 "src/client.py", "stack", "function", native, "module",
			 "/usr/lib/libc.so.6");
}

static void assert_near(const char *slug, const char *pattern, const char *text)
{
	json_t *findings = json_pack("[o, o]", finding("deadlock-cycle", "Client.ask", "task_main"),
				     finding("hang", "ask_again", "net::Pool::drain"));
	struct suppression line = {.slug = (char *)slug, .pattern = (char *)pattern};
	char *near = suppression_near(&line, findings);

	assert_string_equal(near, text);
	free(near);
	json_decref(findings);
}

static void the_last_part_of_a_name_is_meant_for_it(void **state)
{
	(void)state;
	assert_near("deadlock-cycle", "ask", " (did you mean Client.ask?)");
	assert_near("*", "ask", " (did you mean Client.ask?)");
	assert_near("hang", "drain", " (did you mean net::Pool::drain?)");
	assert_near("deadlock-cycle", "client.py:ask", " (did you mean client.py:Client.ask?)");
}

static void a_name_with_wrong_letters_is_near(void **state)
{
	(void)state;
	assert_near("deadlock-cycle", "Client.aks", " (did you mean Client.ask?)");
	assert_near("deadlock-cycle", "cachelock", " (did you mean cache_lock?)");
	assert_near("hang", "libc.so", " (did you mean libc.so.6?)");
}

static void the_rule_may_be_the_wrong_one(void **state)
{
	(void)state;
	assert_near("hang", "Client.*", " (did you mean deadlock-cycle:Client.*?)");
	assert_near("self-deadlock", "cache_lock", " (did you mean deadlock-cycle:cache_lock?)");
}

static void what_is_far_is_not_named(void **state)
{
	(void)state;
	assert_near("hang", "nobody", "");
	assert_near("self-deadlock", "*", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_last_part_of_a_name_is_meant_for_it),
		cmocka_unit_test(a_name_with_wrong_letters_is_near),
		cmocka_unit_test(the_rule_may_be_the_wrong_one),
		cmocka_unit_test(what_is_far_is_not_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
