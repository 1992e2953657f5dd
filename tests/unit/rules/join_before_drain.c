/*
 * Stories of join-before-drain.
 * Neighbours: story_deadlock.h, tools/rules/workers/join_before_drain.c.
 */
#include "story_deadlock.h"

static void drain_fires_on_a_join_of_a_writer(void **state)
{
	(void)state;
	blocks(MPSAN_WAIT_PROCESS, 0);
	blocks(MPSAN_WAIT_JOIN, 0);
	blocks(MPSAN_WAIT_PIPE_WRITE, 0);
	assert_deadlock(MPSAN_DEADLOCK_CYCLE, join_before_drain, GRADE_ERROR);
	assert_alone(RULE_join_before_drain);
	assert_deadlock(MPSAN_DEADLOCK_DEAD_END, join_before_drain, GRADE_ERROR);
	assert_alone(RULE_join_before_drain);
}

static void drain_is_told_rather_than_the_readers_of_other_pipes(void **state)
{
	(void)state;
	blocks(MPSAN_WAIT_PROCESS, 0);
	blocks(MPSAN_WAIT_PIPE_READ, 0);
	blocks(MPSAN_WAIT_PIPE_WRITE, 0);
	deadlock.ev.cause = MPSAN_DEADLOCK_CYCLE;
	assert_alone(RULE_join_before_drain);
}

static void drain_is_silent_without_a_join_or_a_writer(void **state)
{
	(void)state;
	blocks(MPSAN_WAIT_PIPE_WRITE, 0);
	assert_deadlock(MPSAN_DEADLOCK_CYCLE, join_before_drain, GRADE_OFF);
	blocked[0].ev.kind = MPSAN_WAIT_PROCESS;
	assert_deadlock(MPSAN_DEADLOCK_CYCLE, join_before_drain, GRADE_OFF);
	blocks(MPSAN_WAIT_PIPE_WRITE, 0);
	assert_deadlock(MPSAN_DEADLOCK_LONG, join_before_drain, GRADE_OFF);
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(drain_fires_on_a_join_of_a_writer),
		STORY(drain_is_told_rather_than_the_readers_of_other_pipes),
		STORY(drain_is_silent_without_a_join_or_a_writer),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
