/* SPDX-License-Identifier: Apache-2.0 */
/* What arguments show a shell, and one that runs a script. Neighbour: tools/attach/job.h. */
/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
/* clang-format on */

#include "../../tools/attach/job.h"

#define SHELL(words) job_shell_of(words, sizeof(words))

static void scripts_are_of_the_job(void **state)
{
	(void)state;
	assert_int_equal(SHELL("bash\0run.sh"), JOB_SCRIPT);
	assert_int_equal(SHELL("/bin/bash\0./run.sh\0-x"), JOB_SCRIPT);
	assert_int_equal(SHELL("sh\0-c\0python3 train.py"), JOB_SCRIPT);
	assert_int_equal(SHELL("/usr/bin/bash\0-ec\0make"), JOB_SCRIPT);
	assert_int_equal(SHELL("bash\0-e\0-o\0pipefail\0run.sh"), JOB_SCRIPT);
	assert_int_equal(SHELL("sh\0+e\0step.sh"), JOB_SCRIPT);
}

static void shells_that_read_commands_are_not(void **state)
{
	(void)state;
	assert_int_equal(SHELL("bash"), JOB_BARE_SHELL);
	assert_int_equal(SHELL("-bash"), JOB_BARE_SHELL);
	assert_int_equal(SHELL("-zsh\0-l"), JOB_BARE_SHELL);
	assert_int_equal(SHELL("/bin/sh\0-i"), JOB_BARE_SHELL);
	assert_int_equal(SHELL("bash\0--norc"), JOB_BARE_SHELL);
	assert_int_equal(SHELL("sh\0"), JOB_BARE_SHELL);
}

static void others_are_no_shells(void **state)
{
	(void)state;
	assert_int_equal(SHELL("python3\0bash"), JOB_NO_SHELL);
	assert_int_equal(SHELL("/opt/agent/shell\0-c"), JOB_NO_SHELL);
	assert_int_equal(SHELL("bashful\0run.sh"), JOB_NO_SHELL);
	assert_int_equal(SHELL(""), JOB_NO_SHELL);
	assert_int_equal(job_shell_of("", 0), JOB_NO_SHELL);
	assert_int_equal(job_shell_of("bash run.sh", 11), JOB_NO_SHELL); /* not terminated */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scripts_are_of_the_job),
		cmocka_unit_test(shells_that_read_commands_are_not),
		cmocka_unit_test(others_are_no_shells),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
