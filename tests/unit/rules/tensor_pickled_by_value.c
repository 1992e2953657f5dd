/*
 * Stories of tensor-pickled-by-value.
 * Neighbours: story_events.h, tools/rules/shm/tensor_pickled_by_value.c.
 */
#include "story_events.h"

static void pickled_by_value_fires_as_a_note(void **state)
{
	(void)state;
	*(struct ev_pickled *)act_add(PARENT, EV_pickled, 50) =
		(struct ev_pickled){.bytes = 40000, .count = 1};
	assert_act(tensor_pickled_by_value, GRADE_NOTE);
}

static void pickled_by_value_is_silent_about_other_acts(void **state)
{
	(void)state;
	uses(PARENT, MPSAN_OFFSET_FILE, MPSAN_OFFSET_READ, 10);
	assert_act(tensor_pickled_by_value, GRADE_OFF);
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(pickled_by_value_fires_as_a_note),
		STORY(pickled_by_value_is_silent_about_other_acts),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
