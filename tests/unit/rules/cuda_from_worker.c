/* Stories of cuda-from-worker. Neighbours: story_cuda.h, tools/rules/cuda/cuda_from_worker.c. */
#include "story_cuda.h"

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
	static struct story_record record;
	static struct fact_event change;

	(void)state;
	change = story_event(&record, CHILD, EV_process_name, &processes[CHILD], 0, SECOND);
	*(struct ev_process_name *)record.fields =
		(struct ev_process_name){.name = 64, .work = MPSAN_WORK_LOADER};
	facts.events = &change;
	facts.event_count = 1;
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
		STORY(from_worker_warns),
		STORY(from_worker_knows_the_process),
		STORY(from_worker_is_silent_about_others),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
