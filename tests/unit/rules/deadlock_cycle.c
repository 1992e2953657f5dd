/* Stories of deadlock-cycle. Neighbours: story_deadlock.h, tools/rules/locks/deadlock_cycle.c. */
#include "story_deadlock.h"

static void cycle_fires_on_circles_and_dead_ends(void **state)
{
	(void)state;
	two_threads_wait();
	deadlock.ev.cause = MPSAN_DEADLOCK_CYCLE;
	assert_grade(&world, TRIGGER_DEADLOCK, deadlock_cycle, GRADE_ERROR);
	deadlock.ev.cause = MPSAN_DEADLOCK_DEAD_END;
	assert_grade(&world, TRIGGER_DEADLOCK, deadlock_cycle, GRADE_ERROR);
	assert_int_equal(announce(&world, TRIGGER_DEADLOCK).count, 1);
}

static void cycle_is_silent_about_deadlocks_of_other_causes(void **state)
{
	(void)state;
	two_threads_wait();
	deadlock.ev.cause = MPSAN_DEADLOCK_LONG;
	assert_grade(&world, TRIGGER_DEADLOCK, deadlock_cycle, GRADE_OFF);
	deadlock.ev.cause = MPSAN_DEADLOCK_OWNER_GONE;
	assert_grade(&world, TRIGGER_DEADLOCK, deadlock_cycle, GRADE_OFF);
	deadlock.ev.cause = MPSAN_DEADLOCK_CYCLE;
	deadlock.end = 0;
	assert_grade(&world, TRIGGER_DEADLOCK, deadlock_cycle, GRADE_OFF);
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(cycle_fires_on_circles_and_dead_ends),
		STORY(cycle_is_silent_about_deadlocks_of_other_causes),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
