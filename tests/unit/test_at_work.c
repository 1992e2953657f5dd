/*
 * Stories about threads beside one that waits: which are known to be doing something, and whom that helps. A story says
 * how a thread has slept. Neighbour: tools/rules/at_work.h.
 */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

#include "../../tools/rules/at_work.h"

#define SECOND 1000000000ull
#define MOVED (100 * SECOND) /* the others */

static struct at_work_thread thread;

/* It has slept so often, and so long each time, since `first`; it sleeps now. */
static void sleeps(uint64_t first_s, uint32_t rounds, uint64_t each_s, uint64_t now_s)
{
	thread = (struct at_work_thread){.timed = true,
					 .pauses = true,
					 .first_ns = first_s * SECOND,
					 .began_ns = (first_s + rounds * each_s) * SECOND,
					 .length_ns = now_s * SECOND,
					 .rounds = rounds};
}

#define assert_work(what) assert_int_equal(at_work_of(&thread, MOVED, 0), what)

static void who_runs_may_do_anything(void **state)
{
	(void)state;
	thread = (struct at_work_thread){.acts = true};
	assert_work(AT_WORK);
}

static void who_waits_without_a_limit_does_nothing(void **state)
{
	(void)state;
	thread = (struct at_work_thread){.began_ns = MOVED};
	assert_work(AT_WORK_NOT);
}

static void one_sleep_is_followed_by_something_else(void **state)
{
	(void)state;
	sleeps(90, 0, 0, 75);
	assert_work(AT_WORK);
}

static void who_wants_what_it_waits_for_helps_its_waiters(void **state)
{
	(void)state;
	sleeps(90, 0, 0, 75);
	thread.pauses = false;
	assert_work(AT_WORK_FOR_WAITERS);
}

static void who_ticks_helps_its_waiters(void **state)
{
	(void)state;
	sleeps(100, 30, 2, 2);
	assert_work(AT_WORK_FOR_WAITERS);
}

static void a_long_sleep_after_short_ones_is_no_tick(void **state)
{
	(void)state;
	sleeps(100, 30, 2, 12);
	assert_work(AT_WORK);
}

static void two_sleeps_are_no_ticks(void **state)
{
	(void)state;
	sleeps(100, 2, 75, 75);
	assert_work(AT_WORK);
	sleeps(100, 3, 75, 75);
	assert_work(AT_WORK_FOR_WAITERS);
}

/* It fell asleep when the others did, after it had sent them something: it may do so again. */
static void who_has_not_woken_since_the_others_moved_is_no_ticker(void **state)
{
	(void)state;
	sleeps(10, 30, 3, 3);
	assert_work(AT_WORK);
	thread.began_ns += 2 * SECOND;
	assert_work(AT_WORK_FOR_WAITERS);
}

/* Not so if it asks the job for something each time. */
static void a_program_that_ticks_apart_goes_on(void **state)
{
	(void)state;
	sleeps(101, 300, 2, 2);
	thread.apart = true;
	assert_work(AT_WORK_FOR_WAITERS | AT_WORK_FOR_PROCESS);
	assert_int_equal(at_work_of(&thread, MOVED, 102 * SECOND), AT_WORK_FOR_PROCESS);
}

static void patience_comes_to_an_end(void **state)
{
	(void)state;
	sleeps(101, 300, 2, 2);
	assert_int_equal(at_work_of(&thread, MOVED, 100 * SECOND), AT_WORK_FOR_WAITERS);
	assert_int_equal(at_work_of(&thread, MOVED, 102 * SECOND), AT_WORK_NOT);
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		cmocka_unit_test(who_runs_may_do_anything),
		cmocka_unit_test(who_waits_without_a_limit_does_nothing),
		cmocka_unit_test(one_sleep_is_followed_by_something_else),
		cmocka_unit_test(who_wants_what_it_waits_for_helps_its_waiters),
		cmocka_unit_test(who_ticks_helps_its_waiters),
		cmocka_unit_test(a_long_sleep_after_short_ones_is_no_tick),
		cmocka_unit_test(two_sleeps_are_no_ticks),
		cmocka_unit_test(who_has_not_woken_since_the_others_moved_is_no_ticker),
		cmocka_unit_test(a_program_that_ticks_apart_goes_on),
		cmocka_unit_test(patience_comes_to_an_end),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
