/*
 * Options and suppression files: what is wrong is named in one line, and what is right arrives.
 * Neighbours: tools/cmd/options.h, tools/findings/suppress.h.
 */
/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
/* clang-format on */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../tools/cmd/options.h"

static struct settings settings;

static int finish(void **state)
{
	(void)state;
	options_finish(&settings);
	return 0;
}

#define PARSE(where, ...)                                                                         \
	({                                                                                        \
		char *argv_[] = {"run", __VA_ARGS__, NULL};                                       \
		options_parse(&settings, where, "run", (int)(sizeof(argv_) / sizeof(*argv_)) - 1, \
			      argv_);                                                             \
	})

static void values_arrive_in_both_forms(void **state)
{
	(void)state;
	assert_int_equal(PARSE(OPT_RUN, "--exit-code=3", "--fail-on", "warning", "--report",
			       "json=a", "--report=text=-", "--on-deadlock=kill", "--log-max", "4M",
			       "--", "ls", "-l"),
			 0);
	assert_int_equal(settings.exit_code, 3);
	assert_int_equal(settings.fail_on, GRADE_WARNING);
	assert_int_equal(settings.reports.count, 2);
	assert_string_equal(settings.reports.item[0].file, "a");
	assert_true(settings.on_deadlock == ON_DEADLOCK_KILL);
	assert_string_equal(settings.for_library, "log-max=4M");
	assert_int_equal(settings.rest, 11);
}

static void the_command_may_follow_without_dashes(void **state)
{
	(void)state;
	assert_int_equal(PARSE(OPT_RUN, "--exit-code", "3", "ls", "--report"), 0);
	assert_int_equal(settings.rest, 3);
}

static void options_may_follow_sessions(void **state)
{
	char *line[] = {"report", "one", "--exit-code", "3", "two", "--fail-on=note", NULL};

	(void)state;
	assert_int_equal(options_parse(&settings, OPT_REPORT, "report", 6, line), 0);
	assert_int_equal(settings.exit_code, 3);
	assert_int_equal(settings.fail_on, GRADE_NOTE);
	assert_int_equal(settings.rest, 4);
	assert_string_equal(line[4], "one");
	assert_string_equal(line[5], "two");
	assert_null(line[6]);
}

static void a_value_is_no_session(void **state)
{
	char *line[] = {"report", "one", "--exit-code", NULL};

	(void)state;
	assert_int_equal(options_parse(&settings, OPT_REPORT, "report", 3, line), STATUS_USAGE);
}

static void a_value_that_may_be_left_out_stands_behind_its_equals_sign(void **state)
{
	(void)state;
	assert_int_equal(PARSE(OPT_RUN, "--auto-export", "7"), 0);
	assert_string_equal(settings.for_library, "auto-export=0");
	assert_int_equal(settings.rest, 2);
	options_finish(&settings);
	assert_int_equal(PARSE(OPT_RUN, "--auto-export=2M", "ls"), 0);
	assert_string_equal(settings.for_library, "auto-export=2M");
}

static void costly_rules_are_off_until_asked_for(void **state)
{
	(void)state;
	assert_int_equal(PARSE(OPT_RUN, "--policy=quiet", "ls"), 0);
	assert_false(grades_asks(&settings.grades, RULE_lock_order_inversion));
	assert_true(grades_asks(&settings.grades, RULE_fork_threads));
	options_finish(&settings);
	assert_int_equal(PARSE(OPT_RUN, "--rule", "lock-order-inversion=note", "ls"), 0);
	assert_true(grades_asks(&settings.grades, RULE_lock_order_inversion));
}

static void presets_hold_without_options(void **state)
{
	(void)state;
	assert_int_equal(PARSE(OPT_RUN, "ls"), 0);
	assert_int_equal(settings.exit_code, 66);
	assert_int_equal(settings.fail_on, GRADE_ERROR);
	assert_int_equal(settings.hang_after, 60);
	assert_null(settings.dir);
	assert_null(settings.for_library);
}

static void wrong_usage_is_refused(void **state)
{
	(void)state;
	assert_int_equal(PARSE(OPT_RUN, "--no-such"), STATUS_USAGE);
	assert_int_equal(PARSE(OPT_RUN, "-x"), STATUS_USAGE);
	assert_int_equal(PARSE(OPT_RUN, "--exit-code"), STATUS_USAGE);
	assert_int_equal(PARSE(OPT_RUN, "--exit-code=300"), STATUS_USAGE);
	assert_int_equal(PARSE(OPT_RUN, "--exit-code=-1"), STATUS_USAGE);
	assert_int_equal(PARSE(OPT_RUN, "--exit-code="), STATUS_USAGE);
	assert_int_equal(PARSE(OPT_RUN, "--fail-on=off"), STATUS_USAGE);
	assert_int_equal(PARSE(OPT_RUN, "--policy=none"), STATUS_USAGE);
	assert_int_equal(PARSE(OPT_RUN, "--rule=fork-threads"), STATUS_USAGE);
	assert_int_equal(PARSE(OPT_RUN, "--report=json"), STATUS_USAGE);
	assert_int_equal(PARSE(OPT_RUN, "--log-max=4Q"), STATUS_USAGE);
	assert_int_equal(PARSE(OPT_RUN, "--log-max=10"), STATUS_USAGE); /* less than a log needs */
	assert_int_equal(PARSE(OPT_RUN, "--log-max=256k"), 0);
	assert_int_equal(PARSE(OPT_RUN, "--hang-after=0.5"), STATUS_USAGE);
	assert_int_equal(PARSE(OPT_RUN, "--auto-export=much"), STATUS_USAGE);
	assert_int_equal(PARSE(OPT_RUN, "--auto-export="), STATUS_USAGE);
	assert_int_equal(PARSE(OPT_RUN, "--on-deadlock=explode"), STATUS_USAGE);
}

static void an_option_belongs_to_its_commands(void **state)
{
	(void)state;
	assert_int_equal(PARSE(OPT_REPORT, "--on-deadlock=kill"), STATUS_USAGE);
	assert_int_equal(PARSE(OPT_ENV, "--write-baseline=x"), STATUS_USAGE);
	assert_int_equal(PARSE(OPT_CHECK, "--write-baseline=x"), 0);
	assert_string_equal(settings.write_baseline, "x");
}

/* Reads suppressions from a file with this text; NULL when all is well. */
static char *read_suppressions(struct suppressions *suppressions, const char *text)
{
	char path[] = "/tmp/mpsan-test-XXXXXX", *wrong;
	int fd = mkstemp(path);

	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	wrong = suppressions_read(suppressions, path);
	unlink(path);
	return wrong;
}

static void suppression_files_are_read_line_by_line(void **state)
{
	struct suppressions suppressions = {0};
	char *wrong;

	(void)state;
	assert_null(read_suppressions(&suppressions,
				      "# all of it\n\n  fork-threads : main  \n*:libx.so"));
	assert_int_equal(suppressions.line.count, 2);
	assert_string_equal(suppressions.line.item[0].pattern, "main");
	assert_string_equal(suppressions.line.item[1].slug, "*");
	suppressions_finish(&suppressions);
	wrong = read_suppressions(&suppressions, "fork-threads:x\nno-such:x\n");
	assert_non_null(strstr(wrong, ":2:1: no such rule: no-such"));
	free(wrong);
	wrong = read_suppressions(&suppressions, "fork-threads");
	assert_non_null(strstr(wrong, ":1:13: no ':'"));
	free(wrong);
	suppressions_finish(&suppressions);
}

#define STORY(name) cmocka_unit_test_teardown(name, finish)

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(values_arrive_in_both_forms),
		STORY(the_command_may_follow_without_dashes),
		STORY(options_may_follow_sessions),
		STORY(a_value_is_no_session),
		STORY(a_value_that_may_be_left_out_stands_behind_its_equals_sign),
		STORY(costly_rules_are_off_until_asked_for),
		STORY(presets_hold_without_options),
		STORY(wrong_usage_is_refused),
		STORY(an_option_belongs_to_its_commands),
		STORY(suppression_files_are_read_line_by_line),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
