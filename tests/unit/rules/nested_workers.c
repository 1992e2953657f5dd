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

/* A worker that exits well before what it has started is the middle of a daemon's two forks. */
static void nested_workers_is_silent_for_daemons(void **state)
{
	(void)state;
	facts.process_count = 3;
	runs_python();
	process[CHILD].gone = process[GRAND].gone = true;
	process[CHILD].gone_ns = 13 * SECOND;
	process[GRAND].gone_ns = 14 * SECOND;
	slot[CHILD].end = MPSAN_END_EXIT;
	assert_told(TRIGGER_ENDED, GRAND, nested_workers, GRADE_OFF);
	slot[CHILD].end_value = 1;
	assert_told(TRIGGER_ENDED, GRAND, nested_workers, GRADE_NOTE);
	slot[CHILD].end_value = 0;
	process[CHILD].gone_ns = 15 * SECOND;
	assert_told(TRIGGER_ENDED, GRAND, nested_workers, GRADE_NOTE);
	slot[GRAND].flags |= MPSAN_PROCESS_SESSION;
	assert_told(TRIGGER_ENDED, GRAND, nested_workers, GRADE_OFF);
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(nested_workers_fires_for_a_worker_of_a_worker),
		STORY(nested_workers_is_silent_otherwise),
		STORY(nested_workers_is_silent_for_daemons),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
