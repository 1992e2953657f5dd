/*
 * Stories of too-many-workers.
 * Neighbours: story_people.h, tools/rules/workers/too_many_workers.c.
 */
#include "story_people.h"

static void workers_fires_when_they_mostly_wait(void **state)
{
	(void)state;
	load(PARENT, 1, 2, 3);
	assert_told(TRIGGER_EVENT, 0, too_many_workers, GRADE_NOTE);
}

static void workers_is_silent_when_they_work(void **state)
{
	(void)state;
	load(PARENT, 3, 2, 3);
	assert_told(TRIGGER_EVENT, 0, too_many_workers, GRADE_OFF);
	load(PARENT, 1, 2, 2);
	assert_told(TRIGGER_EVENT, 1, too_many_workers, GRADE_OFF);
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(workers_fires_when_they_mostly_wait),
		STORY(workers_is_silent_when_they_work),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
