/* Stories of nested-workers. Neighbours: story_people.h, tools/rules/workers/nested_workers.c. */
#include "story_people.h"

static void nested_workers_fires_for_a_worker_of_a_worker(void **state)
{
	(void)state;
	facts.process_count = 3;
	runs_python();
	assert_told(TRIGGER_ENDED, GRAND, nested_workers, GRADE_NOTE);
	assert_told(TRIGGER_ENDED, CHILD, nested_workers, GRADE_OFF);
}

static void nested_workers_is_silent_otherwise(void **state)
{
	(void)state;
	facts.process_count = 3;
	assert_told(TRIGGER_ENDED, GRAND, nested_workers, GRADE_OFF);
	runs_python();
	process[GRAND].exec_ns = 13 * SECOND;
	assert_told(TRIGGER_ENDED, GRAND, nested_workers, GRADE_OFF);
	process[GRAND].exec_ns = 0;
	set_argv(CHILD, "python3 -c from multiprocessing.forkserver import main");
	slot[CHILD].how = MPSAN_HOW_VFORK;
	assert_told(TRIGGER_ENDED, GRAND, nested_workers, GRADE_OFF);
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(nested_workers_fires_for_a_worker_of_a_worker),
		STORY(nested_workers_is_silent_otherwise),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
