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

static const char *fix_of_a_fork(bool asked)
{
	struct trigger trigger = {TRIGGER_FORK, 0};
	struct verdict verdict = {.sink = {verdict_add}};

	initialise(PARENT);
	facts.cuda.inits[0].asks = asked;
	copy(PARENT, CHILD);
	story_run(&facts, &trigger, &verdict.sink);
	assert_int_equal(grade_of(&verdict, RULE_cuda_before_fork), GRADE_NOTE);
	return verdict.last[0].fix;
}

static void before_fork_names_how_to_ask_without_initialising(void **state)
{
	(void)state;
	assert_non_null(strstr(fix_of_a_fork(true), "PYTORCH_NVML_BASED_CUDA_CHECK"));
}

static void before_fork_has_its_usual_fix_if_the_device_was_used(void **state)
{
	(void)state;
	assert_null(fix_of_a_fork(false));
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(before_fork_fires_as_a_note_for_a_child_that_leaves_cuda_alone),
		STORY(before_fork_warns_when_the_child_asks_and_is_refused),
		STORY(before_fork_names_how_to_ask_without_initialising),
		STORY(before_fork_has_its_usual_fix_if_the_device_was_used),
		STORY(before_fork_is_silent_about_exec_and_about_forks_that_came_first),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
