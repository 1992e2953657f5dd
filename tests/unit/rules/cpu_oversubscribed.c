/*
 * Stories of cpu-oversubscribed.
 * Neighbours: story_people.h, tools/rules/workers/cpu_oversubscribed.c.
 */
#include "story_people.h"

static void oversubscribed_warns_above_twice_the_room(void **state)
{
	struct ev_load *event = load(CHILD, 5, 2, 3);

	(void)state;
	assert_told(TRIGGER_EVENT, 0, cpu_oversubscribed, GRADE_WARNING);
	event->running = 4;
	assert_told(TRIGGER_EVENT, 0, cpu_oversubscribed, GRADE_NOTE);
	event->running = 5;
	facts.fork_count = 0;
	assert_told(TRIGGER_EVENT, 0, cpu_oversubscribed, GRADE_NOTE);
	runs_python();
	assert_told(TRIGGER_EVENT, 0, cpu_oversubscribed, GRADE_WARNING);
	act(CHILD, EV_bound, 14 * SECOND);
	assert_told(TRIGGER_EVENT, 0, cpu_oversubscribed, GRADE_NOTE);
}

/* Another process's fork of a worker says nothing about programs that somebody started side by side. */
static void oversubscribed_is_a_note_of_processes_that_are_no_workers(void **state)
{
	(void)state;
	load(PARENT, 5, 2, 3);
	assert_told(TRIGGER_EVENT, 0, cpu_oversubscribed, GRADE_NOTE);
}

static void oversubscribed_is_silent_where_there_is_room(void **state)
{
	(void)state;
	load(CHILD, 2, 2, 3);
	assert_told(TRIGGER_EVENT, 0, cpu_oversubscribed, GRADE_OFF);
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(oversubscribed_warns_above_twice_the_room),
		STORY(oversubscribed_is_a_note_of_processes_that_are_no_workers),
		STORY(oversubscribed_is_silent_where_there_is_room),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
