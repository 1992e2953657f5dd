/*
 * Stories of cuda-in-forked-child.
 * Neighbours: story_cuda.h, tools/rules/cuda/cuda_in_forked_child.c.
 */
#include "story_cuda.h"

static void forked_child_is_proved_by_a_refused_use(void **state)
{
	(void)state;
	initialise(PARENT);
	copy(PARENT, CHILD);
	assert_heard(TRIGGER_CUDA_CALL, call(CHILD, MPSAN_CUDA_USE, NOT_INITIALIZED),
		     cuda_in_forked_child, GRADE_ERROR);
	assert_heard(TRIGGER_CUDA_CALL, call(CHILD, MPSAN_CUDA_INIT, NOT_INITIALIZED),
		     cuda_in_forked_child, GRADE_ERROR);
}

static void forked_child_names_who_initialised_and_the_fork_that_took_it(void **state)
{
	struct trigger trigger = {TRIGGER_CUDA_CALL, 0};
	struct verdict verdict = {.sink = {verdict_add}};

	(void)state;
	initialise(PARENT);
	copy(PARENT, CHILD);
	copy(CHILD, OTHER);
	call(OTHER, MPSAN_CUDA_USE, NOT_INITIALIZED);
	story_run(&facts, &trigger, &verdict.sink);
	assert_int_equal(grade_of(&verdict, RULE_cuda_in_forked_child), GRADE_ERROR);
	assert_int_equal(verdict.last[0].init, 1);
	assert_int_equal(verdict.last[0].fork, 1);
}

static void forked_child_is_silent_without_a_driver_to_inherit(void **state)
{
	(void)state;
	copy(PARENT, CHILD);
	initialise(PARENT); /* after the fork: the child has none of it */
	assert_heard(TRIGGER_CUDA_CALL, call(CHILD, MPSAN_CUDA_USE, 100), cuda_in_forked_child,
		     GRADE_OFF);
	initialise(CHILD);
	assert_heard(TRIGGER_CUDA_CALL, call(CHILD, MPSAN_CUDA_USE, 1), cuda_before_fork,
		     GRADE_OFF);
}

static void forked_child_is_silent_about_another_program(void **state)
{
	(void)state;
	initialise(PARENT);
	copy(PARENT, CHILD);
	slots[CHILD].how = MPSAN_HOW_POSIX_SPAWN;
	assert_heard(TRIGGER_CUDA_CALL, call(CHILD, MPSAN_CUDA_USE, 1), cuda_in_forked_child,
		     GRADE_OFF);
}

static const struct finding *refused(struct verdict *verdict, bool asked)
{
	struct trigger trigger = {TRIGGER_CUDA_CALL, 0};

	*verdict = (struct verdict){.sink = {verdict_add}};
	initialise(PARENT);
	facts.cuda.inits[0].asks = asked;
	copy(PARENT, CHILD);
	call(CHILD, MPSAN_CUDA_REFUSED, 1);
	story_run(&facts, &trigger, &verdict->sink);
	assert_int_equal(grade_of(verdict, RULE_cuda_in_forked_child), GRADE_ERROR);
	return &verdict->last[0];
}

static void forked_child_is_proved_by_a_framework_that_refuses(void **state)
{
	struct verdict verdict;
	const struct finding *found = refused(&verdict, false);

	(void)state;
	assert_non_null(strstr(found->message_text->message, "torch refused to use CUDA"));
	assert_non_null(strstr(found->fix, "multiprocessing_context"));
	assert_null(strstr(found->fix, "PYTORCH_NVML_BASED_CUDA_CHECK"));
}

static void forked_child_names_how_to_ask_without_initialising(void **state)
{
	struct verdict verdict;

	(void)state;
	assert_non_null(strstr(refused(&verdict, true)->fix, "PYTORCH_NVML_BASED_CUDA_CHECK"));
}

#define XPU 7 /* its row in mpsan_guards.def */

static void forked_child_needs_no_cuda_for_other_devices(void **state)
{
	struct trigger trigger = {TRIGGER_CUDA_CALL, 0};
	struct verdict verdict = {.sink = {verdict_add}};

	(void)state;
	copy(PARENT, CHILD);
	call(CHILD, MPSAN_CUDA_REFUSED, XPU);
	story_run(&facts, &trigger, &verdict.sink);
	assert_int_equal(grade_of(&verdict, RULE_cuda_in_forked_child), GRADE_ERROR);
	assert_int_equal(verdict.last[0].init, 0);
	assert_int_equal(verdict.last[0].fork, 1);
	assert_non_null(strstr(verdict.last[0].message_text->message, "torch refused to use XPU"));
	assert_non_null(strstr(verdict.last[0].fix, "touch the device in the children only"));
}

static void forked_child_is_silent_about_a_refusal_without_cuda(void **state)
{
	(void)state;
	copy(PARENT, CHILD);
	assert_heard(TRIGGER_CUDA_CALL, call(CHILD, MPSAN_CUDA_REFUSED, 3), cuda_in_forked_child,
		     GRADE_OFF);
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(forked_child_is_proved_by_a_refused_use),
		STORY(forked_child_names_who_initialised_and_the_fork_that_took_it),
		STORY(forked_child_is_proved_by_a_framework_that_refuses),
		STORY(forked_child_names_how_to_ask_without_initialising),
		STORY(forked_child_needs_no_cuda_for_other_devices),
		STORY(forked_child_is_silent_about_a_refusal_without_cuda),
		STORY(forked_child_is_silent_without_a_driver_to_inherit),
		STORY(forked_child_is_silent_about_another_program),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
