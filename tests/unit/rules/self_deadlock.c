/* Stories of self-deadlock. Neighbours: story_deadlock.h, tools/rules/locks/self_deadlock.c. */
#include "story_deadlock.h"

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

static void self_deadlock_fires_on_circles_of_one_thread(void **state)
{
	(void)state;
	two_threads_wait();
	deadlock.ev.cause = MPSAN_DEADLOCK_CYCLE;
	blocked[0].ev.kind = MPSAN_LOCK_SEMAPHORE;
	blocked[0].ev.owner = blocked[0].at.tid;
	blocked[0].ev.owner_slot = blocked[0].at.by + 1;
	assert_grade(&world, TRIGGER_DEADLOCK, self_deadlock, GRADE_ERROR);
	assert_int_equal(announce(&world, TRIGGER_DEADLOCK).count, 1);
	blocked[0].ev.owner++;
	assert_grade(&world, TRIGGER_DEADLOCK, self_deadlock, GRADE_OFF);
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(self_deadlock_fires),
		STORY(self_deadlock_is_silent_about_waits_with_a_limit),
		STORY(self_deadlock_fires_on_circles_of_one_thread),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
