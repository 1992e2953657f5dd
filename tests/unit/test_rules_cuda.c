/*
 * Stories about the driver of CUDA and forks, and about who hands device memory out. Neighbours:
 * story_cuda.h, ../../shim/rules/cuda_*.c.
 */
#include "story_cuda.h"

#define NOT_INITIALIZED 3

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
	rules_run(&facts, &trigger, &verdict.sink);
	assert_int_equal(grade_of(&verdict, RULE_cuda_in_forked_child), GRADE_ERROR);
	assert_int_equal(verdict.last[0].init, 1);
	assert_int_equal(verdict.last[0].fork, 0);
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

static void stale_query_fires(void **state)
{
	(void)state;
	initialise(PARENT);
	copy(PARENT, CHILD);
	assert_heard(TRIGGER_CUDA_CALL, call(CHILD, MPSAN_CUDA_QUERY, 0), cuda_stale_query,
		     GRADE_NOTE);
}

static void stale_query_is_silent_about_refusals_and_own_drivers(void **state)
{
	(void)state;
	initialise(PARENT);
	copy(PARENT, CHILD);
	assert_heard(TRIGGER_CUDA_CALL, call(CHILD, MPSAN_CUDA_QUERY, NOT_INITIALIZED),
		     cuda_stale_query, GRADE_OFF);
	assert_heard(TRIGGER_CUDA_CALL, call(OTHER, MPSAN_CUDA_QUERY, 0), cuda_stale_query,
		     GRADE_OFF);
}

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

static void from_worker_warns(void **state)
{
	(void)state;
	assert_heard(TRIGGER_EXPORT,
		     export_as(CHILD, 1, MPSAN_MEMORY_DEVICE, MPSAN_IPC_WORKER | MPSAN_IPC_TORCH),
		     cuda_from_worker, GRADE_WARNING);
}

/* The export came from a thread of the worker's whose name tells nothing. */
static void from_worker_knows_the_process(void **state)
{
	static const struct ev_process_name name = {.name = 64, .work = MPSAN_WORK_LOADER};
	static const struct fact_event changes[] = {
		{.at = {.by = CHILD}, .type = EV_process_name, .field = (const uint64_t *)&name}};

	(void)state;
	facts.events = changes;
	facts.event_count = 1;
	processes[CHILD].event[event_fact_number(EV_process_name)] = 1;
	assert_heard(TRIGGER_EXPORT, export_as(CHILD, 1, MPSAN_MEMORY_DEVICE, MPSAN_IPC_TORCH),
		     cuda_from_worker, GRADE_WARNING);
}

static void from_worker_is_silent_about_others(void **state)
{
	(void)state;
	assert_heard(TRIGGER_EXPORT, export_as(CHILD, 1, MPSAN_MEMORY_DEVICE, MPSAN_IPC_TORCH),
		     cuda_from_worker, GRADE_OFF);
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(forked_child_is_proved_by_a_refused_use),
		STORY(forked_child_names_who_initialised_and_the_fork_that_took_it),
		STORY(forked_child_is_silent_without_a_driver_to_inherit),
		STORY(forked_child_is_silent_about_another_program),
		STORY(before_fork_fires_as_a_note_for_a_child_that_leaves_cuda_alone),
		STORY(before_fork_warns_when_the_child_asks_and_is_refused),
		STORY(before_fork_is_silent_about_exec_and_about_forks_that_came_first),
		STORY(stale_query_fires),
		STORY(stale_query_is_silent_about_refusals_and_own_drivers),
		STORY(visible_devices_late_warns),
		STORY(visible_devices_late_fires_as_a_note_for_a_launcher),
		STORY(visible_devices_late_is_silent_before_init_and_between_fork_and_exec),
		STORY(visible_devices_late_fires_for_a_crowd_on_the_first_device),
		STORY(visible_devices_late_is_silent_where_each_has_its_device),
		STORY(from_worker_warns),
		STORY(from_worker_knows_the_process),
		STORY(from_worker_is_silent_about_others),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
