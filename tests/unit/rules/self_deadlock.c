/* Stories of self-deadlock. Neighbours: story_fork.h, tools/rules/locks/self_deadlock.c. */
#include "story_fork.h"

static void self_deadlock_fires(void **state)
{
	(void)state;
	world_wait(&world, MPSAN_WAIT_SELF, MPSAN_LOCK_MUTEX, MPSAN_LF_VERIFIED);
	assert_grade(&world, TRIGGER_WAIT, self_deadlock, GRADE_ERROR);
	assert_int_equal(announce(&world, TRIGGER_WAIT).count, 1);
}

static void self_deadlock_is_silent_about_waits_with_a_limit(void **state)
{
	(void)state;
	world_wait(&world, MPSAN_WAIT_SELF, MPSAN_LOCK_MUTEX, MPSAN_LF_VERIFIED | MPSAN_LF_TIMED);
	assert_int_equal(announce(&world, TRIGGER_WAIT).count, 0);
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(self_deadlock_fires),
		STORY(self_deadlock_is_silent_about_waits_with_a_limit),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
