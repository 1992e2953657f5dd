/* Stories of worker-lost. Neighbours: story_deadlock.h, tools/rules/workers/worker_lost.c. */
#include "story_deadlock.h"

static void worker_lost_fires_on_an_untimed_get(void **state)
{
	(void)state;
	blocks(MPSAN_LOCK_SEMAPHORE, 0);
	assert_deadlock(MPSAN_DEADLOCK_TASK_LOST, worker_lost, GRADE_ERROR);
	assert_alone(RULE_worker_lost);
}

static void worker_lost_warns_of_a_nap_that_may_look_for_it(void **state)
{
	(void)state;
	blocks(MPSAN_WAIT_SYSCALL, MPSAN_LF_TIMED);
	assert_deadlock(MPSAN_DEADLOCK_TASK_LOST, worker_lost, GRADE_WARNING);
}

static void worker_lost_is_silent_otherwise(void **state)
{
	(void)state;
	blocks(MPSAN_LOCK_SEMAPHORE, 0);
	assert_deadlock(MPSAN_DEADLOCK_LONG, worker_lost, GRADE_OFF);
	assert_deadlock(MPSAN_DEADLOCK_DEAD_END, worker_lost, GRADE_OFF);
	blocked[0].ev.flags |= MPSAN_LF_TIMED;
	assert_deadlock(MPSAN_DEADLOCK_TASK_LOST, worker_lost, GRADE_OFF);
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(worker_lost_fires_on_an_untimed_get),
		STORY(worker_lost_warns_of_a_nap_that_may_look_for_it),
		STORY(worker_lost_is_silent_otherwise),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
