/* Stories of shm-map-limit. Neighbours: story_shm.h, tools/rules/shm/shm_map_limit.c. */
#include "story_shm.h"

static void map_limit_is_proved_at_the_limit(void **state)
{
	(void)state;
	assert_heard(TRIGGER_EVENT, at_limit(MPSAN_SHM_NO_MAP, 65530, 65530), shm_map_limit,
		     GRADE_ERROR);
}

static void map_limit_warns_before(void **state)
{
	(void)state;
	assert_heard(TRIGGER_EVENT, at_limit(MPSAN_SHM_MANY_MAPS, 52424, 65530), shm_map_limit,
		     GRADE_WARNING);
}

static void map_limit_is_silent_when_memory_is_short(void **state)
{
	(void)state;
	assert_heard(TRIGGER_EVENT, at_limit(MPSAN_SHM_NO_MAP, 300, 65530), shm_map_limit,
		     GRADE_OFF);
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(map_limit_is_proved_at_the_limit),
		STORY(map_limit_warns_before),
		STORY(map_limit_is_silent_when_memory_is_short),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
