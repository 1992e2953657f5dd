/*
 * Stories about dead ends that were meant, and those that were not. A story says who is there, what each waits for, and
 * what was seen of senders. Neighbour: tools/rules/parked.h.
 */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

#include "../../tools/rules/parked.h"

#define THREADS 4
#define PROCESS 1
#define WORKER 2

static struct parked_thread thread[THREADS];
static uint32_t count;

/* The main thread of a program waits in this way. */
static int begin(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < THREADS; i++)
		thread[i] = (struct parked_thread){.process = PROCESS,
						   .parent = PARKED_NONE,
						   .thread = PARKED_NONE,
						   .awaited_by = PARKED_NONE,
						   .wait = PARKED_IDLE};
	thread[0].is_main = true;
	count = 1;
	return 0;
}

/* It joins a thread of its own, which is idle. */
static void join_thread(void)
{
	thread[0].wait = PARKED_JOINS;
	thread[0].thread = 1;
	count = 2;
}

/* It waits for the end of a worker process, whose main thread is idle. */
static void join_worker(void)
{
	thread[0].wait = PARKED_JOINS;
	thread[0].of_process = true;
	thread[1].is_main = true;
	thread[1].process = WORKER;
	thread[1].parent = PROCESS;
	count = 2;
}

static bool is_meant(void)
{
	bool wanted[THREADS];

	return parked_is_meant(thread, count, wanted);
}

static void an_idle_main_thread_is_meant(void **state)
{
	(void)state;
	assert_true(is_meant());
}

static void a_main_thread_that_was_sent_something_is_not(void **state)
{
	(void)state;
	thread[0].was_sent = true;
	assert_false(is_meant());
}

static void a_sender_that_ended_is_missed(void **state)
{
	(void)state;
	thread[0].sender_ended = true;
	assert_false(is_meant());
}

static void a_joined_consumer_counts_as_the_main_thread_does(void **state)
{
	(void)state;
	join_thread();
	assert_true(is_meant());
	thread[1].was_sent = true;
	assert_false(is_meant());
}

static void where_no_signal_wakes_anybody_a_join_is_no_way_to_park(void **state)
{
	(void)state;
	join_thread();
	thread[0].only_ends = thread[1].only_ends = true;
	assert_false(is_meant());
	thread[0].wait = PARKED_IDLE;
	assert_true(is_meant());
	count = 1;
	thread[0].wait = PARKED_MEETS;
	assert_false(is_meant());
}

static void an_idle_pool_that_nobody_waits_for_does_not_count(void **state)
{
	(void)state;
	join_thread();
	thread[2].was_sent = thread[2].sender_ended = true;
	count = 3;
	assert_true(is_meant());
}

static void when_it_is_not_known_who_is_joined_all_threads_count(void **state)
{
	(void)state;
	join_thread();
	thread[0].thread = PARKED_NONE;
	thread[2].was_sent = true;
	count = 3;
	assert_false(is_meant());
}

static void a_worker_process_counts_when_its_end_is_waited_for(void **state)
{
	(void)state;
	join_worker();
	assert_true(is_meant());
	thread[1].was_sent = true;
	assert_false(is_meant());
	thread[0].wait = PARKED_IDLE;
	assert_true(is_meant());
}

static void joins_are_followed_over_processes(void **state)
{
	(void)state;
	join_worker();
	thread[1].wait = PARKED_JOINS;
	thread[1].thread = 2;
	thread[2].process = WORKER;
	thread[2].was_sent = true;
	count = 3;
	assert_false(is_meant());
}

static void a_helper_process_is_not_waited_for(void **state)
{
	(void)state;
	join_worker();
	thread[2] = thread[1];
	thread[2].process = WORKER + 1;
	thread[2].is_helper = thread[2].was_sent = true;
	count = 3;
	assert_true(is_meant());
}

static void who_is_blocked_amid_work_makes_it_a_deadlock(void **state)
{
	(void)state;
	thread[1].wait = PARKED_BLOCKED;
	count = 2;
	assert_false(is_meant());
}

static void an_awaited_task_counts_as_a_joined_thread_does(void **state)
{
	(void)state;
	join_thread();
	thread[0].of_tasks = true;
	thread[0].thread = PARKED_NONE;
	thread[1].awaited_by = 0;
	thread[2].was_sent = true;
	count = 3;
	assert_true(is_meant());
	thread[2].awaited_by = 0;
	assert_false(is_meant());
}

static void tasks_that_wait_for_each_other_are_a_deadlock(void **state)
{
	(void)state;
	join_thread();
	thread[0].of_tasks = thread[1].of_tasks = true;
	thread[1].wait = thread[2].wait = PARKED_JOINS;
	thread[2].of_tasks = true;
	thread[1].awaited_by = 2;
	thread[2].awaited_by = 1;
	thread[3].awaited_by = 0; /* beside an idle one */
	count = 4;
	assert_false(is_meant());
}

static void a_barrier_is_meant_only_where_nobody_else_is(void **state)
{
	(void)state;
	thread[0].wait = PARKED_MEETS;
	assert_true(is_meant());
	thread[0].sender_ended = true;
	assert_false(is_meant());
	join_thread();
	thread[1].wait = PARKED_MEETS;
	assert_false(is_meant());
}

static void joins_alone_are_a_deadlock(void **state)
{
	(void)state;
	join_thread();
	thread[1].wait = PARKED_JOINS;
	thread[1].thread = 0;
	assert_false(is_meant());
}

static void an_event_of_the_main_thread_is_meant_whatever_was_sent(void **state)
{
	(void)state;
	thread[0].wait = PARKED_INTENDED;
	thread[1].was_sent = true;
	count = 2;
	assert_true(is_meant());
}

static void an_event_whose_setter_has_ended_is_not(void **state)
{
	(void)state;
	thread[0].wait = PARKED_INTENDED;
	thread[0].setter_ended = true;
	assert_false(is_meant());
	count = 2; /* unless another main thread is to wait */
	thread[1].wait = PARKED_INTENDED;
	assert_true(is_meant());
}

static void where_the_main_thread_is_gone_all_others_count(void **state)
{
	(void)state;
	thread[0].is_main = false;
	assert_true(is_meant());
	thread[0].was_sent = true;
	assert_false(is_meant());
}

static void ctrl_c_ends_what_does_not_ignore_it(void **state)
{
	(void)state;
	assert_true(parked_has_keyboard(thread, count));
	thread[0].no_keyboard = true;
	assert_false(parked_has_keyboard(thread, count));
}

static void a_worker_that_ignores_ctrl_c_has_a_parent_that_does_not(void **state)
{
	(void)state;
	join_worker();
	thread[1].no_keyboard = true;
	assert_true(parked_has_keyboard(thread, count));
	thread[0].no_keyboard = true;
	thread[1].no_keyboard = false;
	assert_false(parked_has_keyboard(thread, count));
}

static void a_helper_process_is_not_asked_for_the_keyboard(void **state)
{
	(void)state;
	join_worker();
	thread[0].no_keyboard = true;
	thread[1].parent = PARKED_NONE;
	assert_true(parked_has_keyboard(thread, count));
	thread[1].is_helper = true;
	assert_false(parked_has_keyboard(thread, count));
}

#define STORY(name) cmocka_unit_test_setup(name, begin)

static void the_call_counts_where_it_names_who_is_to_end_the_wait(void **state)
{
	struct parked_seen seen = {.frames = {.what = AWAITED_ITEM, .meant = PARKED_IDLE},
				   .call = PARKED_BLOCKED};

	(void)state;
	assert_int_equal(parked_part(&seen), PARKED_IDLE);
	seen.by_owner = true;
	assert_int_equal(parked_part(&seen), PARKED_BLOCKED);
	seen.call = PARKED_JOINS;
	assert_int_equal(parked_part(&seen), PARKED_JOINS);
	/* asyncio's thread that reaps a child */
	seen.frames.what = AWAITED_PROCESS_END;
	assert_int_equal(parked_part(&seen), PARKED_IDLE);
	/* in a join of threading a thread waits for a lock */
	seen.frames = (struct awaited_frames){.what = AWAITED_THREAD_END, .meant = PARKED_JOINS};
	seen.call = PARKED_BLOCKED;
	assert_int_equal(parked_part(&seen), PARKED_JOINS);
	seen.frames.what = AWAITED_RESULT;
	assert_int_equal(parked_part(&seen), PARKED_BLOCKED);
	seen.frames = (struct awaited_frames){0};
	assert_int_equal(parked_part(&seen), PARKED_BLOCKED);
	seen.by_owner = false;
	assert_int_equal(parked_part(&seen), PARKED_BLOCKED);
	seen.call = PARKED_IDLE;
	assert_int_equal(parked_part(&seen), PARKED_IDLE);
}

static void a_permit_is_a_signal_unless_it_guards(void **state)
{
	struct parked_seen seen = {.frames = {.what = AWAITED_PERMIT, .meant = PARKED_IDLE},
				   .call = PARKED_BLOCKED};

	(void)state;
	assert_int_equal(parked_part(&seen), PARKED_IDLE);
	seen.guards = true;
	assert_int_equal(parked_part(&seen), PARKED_BLOCKED);
	seen.frames.what = AWAITED_NOTIFY;
	assert_int_equal(parked_part(&seen), PARKED_IDLE);
}

static void only_a_main_thread_waits_for_an_event_for_good(void **state)
{
	struct parked_seen seen = {.frames = {.what = AWAITED_EVENT, .meant = PARKED_INTENDED},
				   .call = PARKED_BLOCKED};

	(void)state;
	assert_int_equal(parked_part(&seen), PARKED_IDLE);
	seen.is_main = true;
	assert_int_equal(parked_part(&seen), PARKED_INTENDED);
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(an_idle_main_thread_is_meant),
		STORY(a_main_thread_that_was_sent_something_is_not),
		STORY(a_sender_that_ended_is_missed),
		STORY(a_joined_consumer_counts_as_the_main_thread_does),
		STORY(where_no_signal_wakes_anybody_a_join_is_no_way_to_park),
		STORY(an_idle_pool_that_nobody_waits_for_does_not_count),
		STORY(when_it_is_not_known_who_is_joined_all_threads_count),
		STORY(a_worker_process_counts_when_its_end_is_waited_for),
		STORY(joins_are_followed_over_processes),
		STORY(a_helper_process_is_not_waited_for),
		STORY(who_is_blocked_amid_work_makes_it_a_deadlock),
		STORY(an_awaited_task_counts_as_a_joined_thread_does),
		STORY(tasks_that_wait_for_each_other_are_a_deadlock),
		STORY(a_barrier_is_meant_only_where_nobody_else_is),
		STORY(joins_alone_are_a_deadlock),
		STORY(an_event_of_the_main_thread_is_meant_whatever_was_sent),
		STORY(an_event_whose_setter_has_ended_is_not),
		STORY(where_the_main_thread_is_gone_all_others_count),
		cmocka_unit_test(the_call_counts_where_it_names_who_is_to_end_the_wait),
		cmocka_unit_test(a_permit_is_a_signal_unless_it_guards),
		cmocka_unit_test(only_a_main_thread_waits_for_an_event_for_good),
		STORY(ctrl_c_ends_what_does_not_ignore_it),
		STORY(a_worker_that_ignores_ctrl_c_has_a_parent_that_does_not),
		STORY(a_helper_process_is_not_asked_for_the_keyboard),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
