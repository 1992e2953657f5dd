/*
 * Stories of hogwild-not-shared.
 * Neighbours: story_events.h, tools/rules/shm/hogwild_not_shared.c.
 */
#include "story_events.h"

static void not_shared_fires_for_a_model(void **state)
{
	(void)state;
	ACT(PARENT, plain_arguments, .fork = 8192, .object = 0x1000);
	assert_act(hogwild_not_shared, GRADE_NOTE);
}

static void not_shared_is_silent_with_shared_memory_and_about_other_acts(void **state)
{
	(void)state;
	ACT(PARENT, plain_arguments, .fork = 8192, .object = 0x1000, .shared = 1);
	assert_act(hogwild_not_shared, GRADE_OFF);
	ACT(PARENT, main_again, .how = MPSAN_MAIN_FORKED);
	assert_act(hogwild_not_shared, GRADE_OFF);
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(not_shared_fires_for_a_model),
		STORY(not_shared_is_silent_with_shared_memory_and_about_other_acts),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
