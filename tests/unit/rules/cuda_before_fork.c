/* Stories of cuda-before-fork. Neighbours: story_cuda.h, tools/rules/cuda/cuda_before_fork.c. */
#include "story_cuda.h"

static void before_fork_fires_as_a_note_for_a_child_that_leaves_cuda_alone(void **state)
{
	(void)state;
	initialise(PARENT);
	assert_heard(TRIGGER_FORK, copy(PARENT, CHILD), cuda_before_fork, GRADE_NOTE);
}

static void before_fork_warns_when_the_child_asks_and_is_refused(void **state)
{
	(void)state;
	initialise(PARENT);
	copy(PARENT, CHILD);
	assert_heard(TRIGGER_CUDA_CALL, call(CHILD, MPSAN_CUDA_QUERY, NOT_INITIALIZED),
		     cuda_before_fork, GRADE_WARNING);
	assert_heard(TRIGGER_CUDA_CALL, call(CHILD, MPSAN_CUDA_USE, 0), cuda_before_fork,
		     GRADE_WARNING);
	assert_heard(TRIGGER_CUDA_CALL, call(CHILD, MPSAN_CUDA_USE, NOT_INITIALIZED),
		     cuda_before_fork, GRADE_OFF); /* the error tells it */
}

static void before_fork_is_silent_about_exec_and_about_forks_that_came_first(void **state)
{
	uint32_t fork;

	(void)state;
	assert_heard(TRIGGER_FORK, copy(PARENT, OTHER), cuda_before_fork, GRADE_OFF);
	initialise(PARENT);
	fork = copy(PARENT, CHILD);
	processes[CHILD].exec_ns = clock_now + 1;
	assert_heard(TRIGGER_FORK, fork, cuda_before_fork, GRADE_OFF);
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(before_fork_fires_as_a_note_for_a_child_that_leaves_cuda_alone),
		STORY(before_fork_warns_when_the_child_asks_and_is_refused),
		STORY(before_fork_is_silent_about_exec_and_about_forks_that_came_first),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
