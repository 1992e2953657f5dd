/* Stories of null-call. Neighbours: story_events.h, tools/rules/workers/null_call.c. */
#include "story_events.h"

static void null_call_fires(void **state)
{
	(void)state;
	ACT(PARENT, null, .group = 100);
	assert_act(null_call, GRADE_NOTE);
}

static void null_call_is_silent_about_other_events(void **state)
{
	(void)state;
	ACT(PARENT, affinity, .pid = 100);
	assert_act(null_call, GRADE_OFF);
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(null_call_fires),
		STORY(null_call_is_silent_about_other_events),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
