/* Stories of fork-lost-wakeup. Neighbours: story_fork.h, tools/rules/fork/fork_lost_wakeup.c. */
#include "story_fork.h"

static void lost_wakeup_fires_for_every_kind_of_wait(void **state)
{
	static const uint64_t kinds[] = {MPSAN_WAIT_COND, MPSAN_WAIT_BARRIER, MPSAN_WAIT_FUTEX,
					 MPSAN_LOCK_SEMAPHORE};

	(void)state;
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		alone_on(kinds[i], 0);
		assert_only(RULE_fork_lost_wakeup, GRADE_ERROR);
	}
}

static void lost_wakeup_warns_when_a_signal_handler_could_help(void **state)
{
	(void)state;
	alone_on(MPSAN_LOCK_SEMAPHORE, MPSAN_LF_SIGNALS);
	assert_only(RULE_fork_lost_wakeup, GRADE_WARNING);
}

static void lost_wakeup_is_silent_about_waits_that_can_end(void **state)
{
	(void)state;
	alone_on(MPSAN_WAIT_COND, MPSAN_LF_TIMED);
	assert_int_equal(announce(&world, TRIGGER_WAIT).count, 0);
	alone_on(MPSAN_WAIT_COND, MPSAN_LF_SHARED);
	assert_int_equal(announce(&world, TRIGGER_WAIT).count, 0);
}

static void lost_wakeup_is_silent_in_a_process_that_never_forked(void **state)
{
	(void)state;
	alone_on(MPSAN_WAIT_COND, 0);
	world.wait.at.by = PARENT;
	assert_int_equal(announce(&world, TRIGGER_WAIT).count, 0);
}

static void lost_wakeup_tells_who_was_left_behind(void **state)
{
	const struct message_text *threads, *pool, *parent;

	(void)state;
	alone_on(MPSAN_WAIT_COND, 0);
	threads = announce(&world, TRIGGER_WAIT).last[0].message_text;
	world.wait.pool_threads = 3; /* in the program itself */
	pool = announce(&world, TRIGGER_WAIT).last[0].message_text;
	world.wait.pool_threads = 0;
	world.fork.ev.threads = 1;
	parent = announce(&world, TRIGGER_WAIT).last[0].message_text;
	assert_non_null(strstr(threads->message, "{lost}"));
	assert_non_null(strstr(pool->message, "{signallers}"));
	assert_non_null(strstr(parent->message, "another copy"));
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(lost_wakeup_fires_for_every_kind_of_wait),
		STORY(lost_wakeup_warns_when_a_signal_handler_could_help),
		STORY(lost_wakeup_is_silent_about_waits_that_can_end),
		STORY(lost_wakeup_is_silent_in_a_process_that_never_forked),
		STORY(lost_wakeup_tells_who_was_left_behind),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
