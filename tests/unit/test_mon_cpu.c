/*
 * What load is: frames that tell a process that starts from one that works, and how long a thread would
 * have run without others. Neighbours: tools/supervise/startup.h, mon_cpu.h.
 */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

#include "supervise/monitors/mon_cpu.h"
#include "supervise/startup.h"

#define LIB "/usr/lib/python3.11/"
#define IMPORTS                                                           \
	"<module>\t" LIB "site-packages/torch/__init__.py\t1465\n"        \
	"_call_with_frames_removed\t<frozen importlib._bootstrap>\t241\n" \
	"_load_unlocked\t<frozen importlib._bootstrap>\t690\n"
#define WORKER                                          \
	"work\t/home/a/train.py\t9\n"                   \
	"run\t" LIB "multiprocessing/process.py\t108\n" \
	"_bootstrap\t" LIB "multiprocessing/process.py\t314\n"

static void frames_of_an_import_are_a_start(void **state)
{
	(void)state;
	assert_true(startup_imports(IMPORTS "<module>\t/home/a/train.py\t1\n"));
	assert_true(startup_imports(IMPORTS WORKER));
	assert_true(startup_imports(
		"get_data\t<frozen importlib._bootstrap_external>\t1073\n" IMPORTS));
	assert_true(startup_imports("_find_spec\t<frozen importlib._bootstrap>\t1\n"));
}

static void frames_of_work_are_none(void **state)
{
	(void)state;
	assert_false(startup_imports(""));
	assert_false(startup_imports("<module>\t/home/a/train.py\t12\n"));
	assert_false(startup_imports(WORKER "<module>\t/home/a/train.py\t12\n"));
	/* its parent imported the program when it forked */
	assert_false(startup_imports(WORKER IMPORTS));
	assert_false(startup_imports("importlib\t/home/a/importlib._bootstrap.py\t12\n"));
	/* cut off */
	assert_false(startup_imports("work\t/home/a/tr"));
}

static void without_company_a_thread_rests_as_much_after_as_much_work(void **state)
{
	(void)state;
	assert_true(mon_cpu_alone(100, 0, 1000) == 0.1);
	assert_true(mon_cpu_alone(100, 800, 1000) == 0.5);
	assert_true(mon_cpu_alone(0, 500, 1000) == 0);
	/* one that never rests takes what it gets */
	assert_true(mon_cpu_alone(100, 900, 1000) == 1);
	assert_true(mon_cpu_alone(0, 1000, 1000) == 1);
	assert_true(mon_cpu_alone(900, 900, 1000) == 1);
	/* an hour of it */
	assert_true(mon_cpu_alone(1800000000000, 0, 3600000000000) == 0.5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_of_an_import_are_a_start),
		cmocka_unit_test(frames_of_work_are_none),
		cmocka_unit_test(without_company_a_thread_rests_as_much_after_as_much_work),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
