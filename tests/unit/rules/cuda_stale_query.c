/* Stories of cuda-stale-query. Neighbours: story_cuda.h, tools/rules/cuda/cuda_stale_query.c. */
#include "story_cuda.h"

static void stale_query_fires(void **state)
{
	(void)state;
	initialise(PARENT);
	copy(PARENT, CHILD);
	assert_heard(TRIGGER_CUDA_CALL, call(CHILD, MPSAN_CUDA_QUERY, 0), cuda_stale_query,
		     GRADE_NOTE);
}

static void stale_query_is_silent_about_refusals_and_own_drivers(void **state)
{
	(void)state;
	initialise(PARENT);
	copy(PARENT, CHILD);
	assert_heard(TRIGGER_CUDA_CALL, call(CHILD, MPSAN_CUDA_QUERY, NOT_INITIALIZED),
		     cuda_stale_query, GRADE_OFF);
	assert_heard(TRIGGER_CUDA_CALL, call(OTHER, MPSAN_CUDA_QUERY, 0), cuda_stale_query,
		     GRADE_OFF);
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(stale_query_fires),
		STORY(stale_query_is_silent_about_refusals_and_own_drivers),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
