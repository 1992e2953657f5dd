/* Stories of fork-start-method. Neighbours: story_fork.h, tools/rules/fork/fork_start_method.c. */
#include "story_fork.h"

static void start_method_fires_with_torch(void **state)
{
	(void)state;
	world.fork.ev.flags = MPSAN_FORK_TORCH;
	assert_grade(&world, TRIGGER_FORK, fork_start_method, GRADE_NOTE);
}

static void start_method_is_silent_without_torch_or_before_exec(void **state)
{
	(void)state;
	assert_grade(&world, TRIGGER_FORK, fork_start_method, GRADE_OFF);
	world.fork.ev.flags = MPSAN_FORK_TORCH;
	child_execs();
	assert_grade(&world, TRIGGER_FORK, fork_start_method, GRADE_OFF);
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(start_method_fires_with_torch),
		STORY(start_method_is_silent_without_torch_or_before_exec),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
