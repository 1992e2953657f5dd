/* Stories of waiter-killed. Neighbours: story_deadlock.h, tools/rules/locks/waiter_killed.c. */
#include "story_deadlock.h"

static void waiter_killed_fires_on_an_untimed_notify(void **state)
{
	(void)state;
	blocks(MPSAN_LOCK_SEMAPHORE, MPSAN_LF_SHARED);
	assert_deadlock(MPSAN_DEADLOCK_WAITER_GONE, waiter_killed, GRADE_ERROR);
	assert_alone(RULE_waiter_killed);
}

static void waiter_killed_is_silent_otherwise(void **state)
{
	(void)state;
	blocks(MPSAN_LOCK_SEMAPHORE, MPSAN_LF_SHARED);
	assert_deadlock(MPSAN_DEADLOCK_OWNER_GONE, waiter_killed, GRADE_OFF);
	assert_deadlock(MPSAN_DEADLOCK_DEAD_END, waiter_killed, GRADE_OFF);
	blocked[0].ev.flags |= MPSAN_LF_TIMED;
	assert_deadlock(MPSAN_DEADLOCK_WAITER_GONE, waiter_killed, GRADE_OFF);
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(waiter_killed_fires_on_an_untimed_notify),
		STORY(waiter_killed_is_silent_otherwise),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
