/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command lines that write the reports of `mpsan run` in its place: options that both have are
 * taken over, whichever way they are written, and only plain files are. Neighbour: tools/cmd/again.h.
 */
/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
/* clang-format on */
#include <stdlib.h>
#include <string.h>

#include "../../tools/base/util.h"
#include "../../tools/cmd/again.h"

static char *joined(char **words)
{
	char *all = text_copy("");

	for (char **word = words; word && *word; word++) {
		char *longer = text_format("%s%s%s", all, *all ? " " : "", *word);

		free(all);
		all = longer;
	}
	return all;
}

/* What becomes of a command line of `mpsan run`. */
static void check(char **argv, bool text, const char *files, const char *all)
{
	int count = 0;
	struct settings settings;
	struct again again;
	char *got;

	while (argv[count])
		count++;
	assert_int_equal(options_parse(&settings, OPT_RUN, "run", count, argv), 0);
	again_prepare(&again, &settings, argv, "/dir", text);
	got = joined(again.files);
	assert_string_equal(got, files);
	free(got);
	got = joined(again.all);
	assert_string_equal(got, all);
	free(got);
	again_finish(&again);
	options_finish(&settings);
}

static void shared_options_are_taken_over(void **state)
{
	char *argv[] = {
		"run",	 "--rule",	 "hang=off", "--no-conf",     "--policy=strict", "--dir",
		"x",	 "--hang-after", "5",	     "--auto-export", "--practices",	 "--color",
		"never", "--",		 "ls",	     "--rule",	      "gone=off",	 NULL};

	(void)state;
	check(argv, true,
	      "mpsan report --rule hang=off --no-conf --policy=strict --practices --color never -- /dir",
	      "mpsan report --rule hang=off --no-conf --policy=strict --practices --color never "
	      "--report text=stderr -- /dir");
}

static void only_plain_files_are_written(void **state)
{
	char *argv[] = {"run",
			"--no-conf",
			"--report=json=/nowhere/a b.json",
			"--report",
			"github=-",
			"--report",
			"json=/dev/null",
			"--write-baseline",
			"c",
			"ls",
			NULL};

	(void)state;
	check(argv, false, "mpsan report --no-conf --report json=/nowhere/a b.json -- /dir", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shared_options_are_taken_over),
		cmocka_unit_test(only_plain_files_are_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
