/* Stories of fork-threads. Neighbours: story_fork.h, tools/rules/fork/fork_threads.c. */
#include "story_fork.h"

static void threads_fires(void **state)
{
	(void)state;
	assert_grade(&world, TRIGGER_FORK, fork_threads, GRADE_NOTE);
}

static void threads_is_silent_before_exec(void **state)
{
	(void)state;
	child_execs();
	assert_grade(&world, TRIGGER_FORK, fork_threads, GRADE_OFF);
}

static void threads_is_silent_with_one_thread(void **state)
{
	(void)state;
	world.fork.ev.threads = 1;
	assert_grade(&world, TRIGGER_FORK, fork_threads, GRADE_OFF);
}

static void threads_is_silent_for_a_pool_that_replaces_a_worker(void **state)
{
	(void)state;
	world.fork.by_pool = true;
	assert_grade(&world, TRIGGER_FORK, fork_threads, GRADE_OFF);
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(threads_fires),
		STORY(threads_is_silent_before_exec),
		STORY(threads_is_silent_with_one_thread),
		STORY(threads_is_silent_for_a_pool_that_replaces_a_worker),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
