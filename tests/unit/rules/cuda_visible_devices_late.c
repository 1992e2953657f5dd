/*
 * Stories of cuda-visible-devices-late.
 * Neighbours: story_cuda.h, tools/rules/cuda/cuda_visible_devices_late.c.
 */
#include "story_cuda.h"

static uint32_t change_environment(uint32_t by)
{
	*NEXT(envs, env_count) = (struct fact_cuda_env){.at = next_place(by)};
	return facts.cuda.env_count - 1;
}

static void visible_devices_late_warns(void **state)
{
	(void)state;
	initialise(PARENT);
	copy(PARENT, CHILD); /* without an exec, the child has the parent's devices */
	assert_heard(TRIGGER_CUDA_ENV, change_environment(PARENT), cuda_visible_devices_late,
		     GRADE_WARNING);
}

static void visible_devices_late_fires_as_a_note_for_a_launcher(void **state)
{
	uint32_t change;

	(void)state;
	initialise(PARENT);
	change = change_environment(PARENT);
	copy(PARENT, CHILD);
	processes[CHILD].exec_ns = clock_now + 1;
	assert_heard(TRIGGER_CUDA_ENV, change, cuda_visible_devices_late, GRADE_NOTE);
}

static void visible_devices_late_is_silent_before_init_and_between_fork_and_exec(void **state)
{
	uint32_t change;

	(void)state;
	assert_heard(TRIGGER_CUDA_ENV, change_environment(PARENT), cuda_visible_devices_late,
		     GRADE_OFF);
	initialise(PARENT);
	copy(PARENT, CHILD);
	change = change_environment(CHILD);
	processes[CHILD].exec_ns = clock_now + 1;
	assert_heard(TRIGGER_CUDA_ENV, change, cuda_visible_devices_late, GRADE_OFF);
}

static void hold_context(uint32_t by, uint64_t device)
{
	*NEXT(contexts, context_count) = (struct fact_cuda_context){
		.at = next_place(by), .ev = {.device = device, .gpu = GPU + device}};
}

static void visible_devices_late_fires_for_a_crowd_on_the_first_device(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 3; i++) {
		hold_context(i, 0);
		hold_context(i, i + 1);
	}
	assert_heard(TRIGGER_SHARING_OVER, 0, cuda_visible_devices_late, GRADE_NOTE);
}

static void visible_devices_late_is_silent_where_each_has_its_device(void **state)
{
	(void)state;
	hold_context(PARENT, 0); /* the first rank works there */
	hold_context(CHILD, 1);
	hold_context(OTHER, 0); /* it may see no other device */
	hold_context(BYSTANDER, 0);
	hold_context(BYSTANDER, 2); /* the only one with two */
	assert_heard(TRIGGER_SHARING_OVER, 0, cuda_visible_devices_late, GRADE_OFF);
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(visible_devices_late_warns),
		STORY(visible_devices_late_fires_as_a_note_for_a_launcher),
		STORY(visible_devices_late_is_silent_before_init_and_between_fork_and_exec),
		STORY(visible_devices_late_fires_for_a_crowd_on_the_first_device),
		STORY(visible_devices_late_is_silent_where_each_has_its_device),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
