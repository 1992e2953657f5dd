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
	event->running = event->computing = 4;
	assert_told(TRIGGER_EVENT, 0, cpu_oversubscribed, GRADE_NOTE);
	event->running = event->computing = 5;
	act(CHILD, EV_bound, 14 * SECOND);
	assert_told(TRIGGER_EVENT, 0, cpu_oversubscribed, GRADE_NOTE);
}

/* Programs that a test runner starts side by side use what threads they need, however busy the runner is itself. */
static void oversubscribed_is_a_note_if_others_are_most_of_the_load(void **state)
{
	struct ev_load *event = load(PARENT, 5, 2, 3);

	(void)state;
	event->computing = 4;
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
		STORY(oversubscribed_is_a_note_if_others_are_most_of_the_load),
		STORY(oversubscribed_is_silent_where_there_is_room),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
