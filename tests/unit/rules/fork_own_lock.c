/* Stories of fork-own-lock. Neighbours: story_fork.h, tools/rules/fork/fork_own_lock.c. */
#include "story_fork.h"

static void own_lock_warns_at_the_fork(void **state)
{
	(void)state;
	world_hold(&world, MAIN_THREAD, MPSAN_LOCK_MUTEX, MPSAN_LF_VERIFIED | MPSAN_LF_ERRORCHECK);
	assert_grade(&world, TRIGGER_FORK, fork_own_lock, GRADE_WARNING);
	assert_grade(&world, TRIGGER_FORK, fork_lock_held, GRADE_OFF);
	child_exits();
	assert_grade(&world, TRIGGER_FORK, fork_own_lock, GRADE_NOTE);
}

static void own_lock_is_silent_about_the_locks_of_others(void **state)
{
	(void)state;
	world_hold(&world, WORKER, MPSAN_LOCK_MUTEX, MPSAN_LF_VERIFIED);
	assert_grade(&world, TRIGGER_FORK, fork_own_lock, GRADE_OFF);
}

static void own_lock_is_proved_by_the_wait(void **state)
{
	(void)state;
	world_hold(&world, MAIN_THREAD, MPSAN_LOCK_MUTEX, MPSAN_LF_VERIFIED | MPSAN_LF_RECURSIVE);
	world_wait(&world, MPSAN_WAIT_OWN, MPSAN_LOCK_MUTEX,
		   MPSAN_LF_VERIFIED | MPSAN_LF_RECURSIVE);
	assert_grade(&world, TRIGGER_WAIT, fork_own_lock, GRADE_ERROR);
	world.wait.ev.flags |= MPSAN_LF_TIMED;
	assert_grade(&world, TRIGGER_WAIT, fork_own_lock, GRADE_OFF);
}

static void own_lock_is_proved_by_the_refused_unlock(void **state)
{
	(void)state;
	world_hold(&world, MAIN_THREAD, MPSAN_LOCK_MUTEX, MPSAN_LF_VERIFIED | MPSAN_LF_ERRORCHECK);
	world.unlock =
		(struct fact_unlock){.at = {CHILD, CHILD, 200, 8192, 11 * SECOND},
				     .ev = {.lock = 0x1000, .kind = MPSAN_LOCK_MUTEX, .error = 1}};
	world.facts.unlock_count = 1;
	assert_grade(&world, TRIGGER_UNLOCK, fork_own_lock, GRADE_ERROR);
	world.unlock.ev.flags = MPSAN_LF_SHARED;
	assert_grade(&world, TRIGGER_UNLOCK, fork_own_lock, GRADE_OFF);
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(own_lock_warns_at_the_fork),
		STORY(own_lock_is_silent_about_the_locks_of_others),
		STORY(own_lock_is_proved_by_the_wait),
		STORY(own_lock_is_proved_by_the_refused_unlock),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
