/* What a Python source says of how workers end. Neighbour: tools/supervise/monitors/mon_exitcodes.h. */
/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
/* clang-format on */
#include "../../tools/supervise/monitors/mon_exitcodes.h"

static void it_asks_for_a_status(void **state)
{
	static const char *const sources[] = {
		"worker.join()\nif worker.exitcode != 0:\n\traise SystemExit(1)\n",
		"print([p.exitcode for p in workers])",
		"assert os.WIFSIGNALED(status)",
		"_, end = os.waitpid(pid, 0)\n",
		"while os.wait()[1]:\n\tpass\n",
		"\tstatus = wait4(pid, 0)[1]",
		"try:\n\tpass\nexcept BrokenProcessPool:\n\tpass",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(sources) / sizeof(*sources); i++)
		assert_int_equal(mon_exitcodes_in_source(sources[i]), MPSAN_HEED_SOURCE);
}

static void it_is_a_test(void **state)
{
	(void)state;
	assert_int_equal(mon_exitcodes_in_source("import unittest\nworker.join()\n"),
			 MPSAN_HEED_TEST);
	assert_int_equal(mon_exitcodes_in_source("import pytest\nassert worker.exitcode\n"),
			 MPSAN_HEED_SOURCE);
}

static void it_does_not(void **state)
{
	static const char *const sources[] = {
		"",
		"worker.start()\nworker.join()\nprint('done')\n",
		"os.waitpid(pid, 0)\n",
		"    os.wait()\n    waitpid(-1, 0)\n",
		"worker.join() # its exitcode does not matter\n",
		"my_exitcodes = {}\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(sources) / sizeof(*sources); i++)
		assert_int_equal(mon_exitcodes_in_source(sources[i]), 0);
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		cmocka_unit_test(it_asks_for_a_status),
		cmocka_unit_test(it_is_a_test),
		cmocka_unit_test(it_does_not),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
