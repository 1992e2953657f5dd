/* SPDX-License-Identifier: Apache-2.0 */
/* Work in a child: its answer comes back whole, or not at all; one that stands still is given up, and no other begins. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../tools/base/apart.h"
#include "../../tools/base/util.h"

static void says(int to, void *context)
{
	apart_answer(to, context, strlen(context));
}

static void says_much(int to, void *context)
{
	static char much[1 << 20];

	memset(much, 'x', sizeof(much));
	apart_answer(to, much, *(size_t *)context);
}

static void crashes(int to, void *context)
{
	(void)to;
	(void)context;
	abort();
}

/* It has the descriptor that it was given, and none that is not for it. */
static void has(int to, void *context)
{
	const int *fds = context;
	char one = fcntl(fds[0], F_GETFD) >= 0 && fcntl(fds[1], F_GETFD) < 0 ? 'y' : 'n';

	apart_answer(to, &one, 1);
}

static void stands(int to, void *context)
{
	(void)context;
	apart_answer(to, "some", 4);
	for (;;)
		pause();
}

static void comes_back(void **state)
{
	size_t sizes[] = {1 << 20, 1 << 16, 100};
	char *answer = memory_get(1 << 20);

	(void)state;
	assert_int_equal(apart_ask(says, (char[]){"hello"}, -1, answer, 10), 5);
	assert_memory_equal(answer, "hello", 5);
	assert_int_equal(apart_ask(says, (char[]){"hello"}, -1, answer, 5), 5);
	assert_int_equal(apart_ask(says, (char[]){"hello"}, -1, answer, 4), 0);
	assert_int_equal(apart_ask(says, (char[]){""}, -1, answer, 4), 0);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(apart_ask(says_much, &sizes[i], -1, answer, 1 << 20), sizes[i]);
	assert_int_equal(apart_ask(crashes, NULL, -1, answer, 4), 0);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* none is left */
	free(answer);
}

static void has_no_descriptors(void **state)
{
	int fds[2] = {open("/dev/null", O_RDONLY), open("/dev/null", O_RDONLY)};
	int other[2] = {fds[1], fds[0]};
	char answer;

	(void)state;
	assert_int_equal(apart_ask(has, fds, fds[0], &answer, 1), 1);
	assert_int_equal(answer, 'y');
	assert_int_equal(apart_ask(has, other, other[0], &answer, 1), 1);
	assert_int_equal(answer, 'y');
}

static void is_given_up(void **state)
{
	uint64_t began_ns = clock_ns(CLOCK_MONOTONIC);
	char answer[8];

	(void)state;
	assert_int_equal(apart_ask(stands, NULL, -1, answer, sizeof(answer)), 0);
	assert_true(clock_ns(CLOCK_MONOTONIC) - began_ns < 20000000000ull);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(apart_ask(says, (char[]){"hello"}, -1, answer, sizeof(answer)), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(comes_back),
		cmocka_unit_test(has_no_descriptors),
		cmocka_unit_test(is_given_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
