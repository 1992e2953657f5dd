/*
 * Who is still there, by /proc: this test itself, and one that had its pid before. Asked often, since
 * clocks are compared that go on between their readings.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "reader/session.h"

#define TIMES 2000
#define SECOND 1000000000ull

static uint64_t begin_ns;

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

static void assert_always(uint32_t pid, uint64_t birth_ns, enum liveness expected)
{
	struct mpsan_process process = {.pid = pid, .birth_ns = birth_ns};
	const struct session session = {.table = &process, .slots = 1, .here = true};

	for (int i = 0; i < TIMES; i++)
		assert_int_equal(session_liveness(&session, 0), expected);
}

static void who_runs_is_alive(void **state)
{
	(void)state;
	assert_always((uint32_t)getpid(), begin_ns, ALIVE);
}

static void who_had_the_pid_before_is_gone(void **state)
{
	(void)state;
	assert_always((uint32_t)getpid(), begin_ns - SECOND, GONE);
}

static void who_has_ended_is_gone(void **state)
{
	pid_t pid = fork();

	(void)state;
	if (!pid)
		_exit(0);
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_always((uint32_t)pid, begin_ns, GONE);
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		cmocka_unit_test(who_runs_is_alive),
		cmocka_unit_test(who_had_the_pid_before_is_gone),
		cmocka_unit_test(who_has_ended_is_gone),
	};

	begin_ns = now();
	return cmocka_run_group_tests(stories, NULL, NULL);
}
