/* Stories of fork-static-init. Neighbours: story_fork.h, tools/rules/fork/fork_static_init.c. */
#include "story_fork.h"

static void static_init_warns_of_an_open_guard(void **state)
{
	struct verdict verdict;

	(void)state;
	world_hold(&world, WORKER, MPSAN_LOCK_GUARD, MPSAN_LF_VERIFIED);
	verdict = announce(&world, TRIGGER_FORK);
	assert_int_equal(grade_of(&verdict, RULE_fork_static_init), GRADE_WARNING);
	assert_int_equal(grade_of(&verdict, RULE_fork_lock_held), GRADE_OFF);
	child_execs();
	assert_grade(&world, TRIGGER_FORK, fork_static_init, GRADE_NOTE);
}

static void static_init_is_proved_by_the_wait(void **state)
{
	struct verdict verdict;

	(void)state;
	world_hold(&world, WORKER, MPSAN_LOCK_GUARD, MPSAN_LF_VERIFIED);
	world_wait(&world, MPSAN_WAIT_ORPHAN, MPSAN_LOCK_GUARD, MPSAN_LF_VERIFIED);
	verdict = announce(&world, TRIGGER_WAIT);
	assert_int_equal(verdict.count, 1);
	assert_int_equal(grade_of(&verdict, RULE_fork_static_init), GRADE_ERROR);
}

static void static_init_is_silent_about_own_and_repaired_guards(void **state)
{
	(void)state;
	world_hold(&world, MAIN_THREAD, MPSAN_LOCK_GUARD, MPSAN_LF_VERIFIED);
	assert_grade(&world, TRIGGER_FORK, fork_static_init, GRADE_OFF);
	world_hold(&world, WORKER, MPSAN_LOCK_GUARD, MPSAN_LF_VERIFIED);
	world.held.repaired = true;
	assert_grade(&world, TRIGGER_FORK, fork_static_init, GRADE_OFF);
	world_hold(&world, WORKER, MPSAN_LOCK_MUTEX, MPSAN_LF_VERIFIED);
	world_wait(&world, MPSAN_WAIT_ORPHAN, MPSAN_LOCK_MUTEX, MPSAN_LF_VERIFIED);
	assert_grade(&world, TRIGGER_WAIT, fork_static_init, GRADE_OFF);
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(static_init_warns_of_an_open_guard),
		STORY(static_init_is_proved_by_the_wait),
		STORY(static_init_is_silent_about_own_and_repaired_guards),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
