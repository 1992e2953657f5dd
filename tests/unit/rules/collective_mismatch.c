/* Stories of collective-mismatch. Neighbours: story_deadlock.h, tools/rules/workers/collective_mismatch.c. */
#include "story_deadlock.h"

static void ranks_wait(uint64_t flags)
{
	for (uint32_t i = 0; i < 2; i++)
		blocks(MPSAN_WAIT_FUTEX, i ? 0 : flags)->rank = i + 1;
	deadlock.ev.cause = MPSAN_DEADLOCK_RANKS;
}

static void collective_mismatch_warns_of_ranks_in_different_collectives(void **state)
{
	(void)state;
	ranks_wait(0);
	assert_grade(&world, TRIGGER_DEADLOCK, collective_mismatch, GRADE_WARNING);
	assert_alone(RULE_collective_mismatch);
}

static void collective_mismatch_is_an_error_if_a_rank_will_never_come(void **state)
{
	(void)state;
	ranks_wait(MPSAN_LF_CERTAIN);
	assert_grade(&world, TRIGGER_DEADLOCK, collective_mismatch, GRADE_ERROR);
	assert_alone(RULE_collective_mismatch);
}

static void collective_mismatch_is_silent_about_other_deadlocks(void **state)
{
	(void)state;
	ranks_wait(0);
	for (uint64_t cause = MPSAN_DEADLOCK_CYCLE; cause <= MPSAN_DEADLOCK_DRAFT; cause++)
		assert_deadlock(cause, collective_mismatch, GRADE_OFF);
	deadlock.ev.cause = MPSAN_DEADLOCK_RANKS;
	deadlock.end = 0;
	assert_grade(&world, TRIGGER_DEADLOCK, collective_mismatch, GRADE_OFF);
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(collective_mismatch_warns_of_ranks_in_different_collectives),
		STORY(collective_mismatch_is_an_error_if_a_rank_will_never_come),
		STORY(collective_mismatch_is_silent_about_other_deadlocks),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
