/* Stories of ipc-held-long. Neighbours: story_cuda.h, tools/rules/ipc/ipc_held_long.c. */
#include "story_cuda.h"

static void held_long_fires_for_the_worst(void **state)
{
	struct trigger trigger = {TRIGGER_SHARING_OVER, 0};
	struct verdict verdict = {.sink = {verdict_add}};

	(void)state;
	lend(PRODUCER, A);
	lend(PRODUCER, B);
	OPEN(CONSUMER, A, 0);
	pass(SECOND);
	OPEN(OTHER, B, 0);
	pass(CUDA_HELD_LONG_NS);
	give_back(OTHER, B);
	finish();
	facts.now_ns = clock_now;
	story_run(&facts, &trigger, &verdict.sink);
	assert_int_equal(grade_of(&verdict, RULE_ipc_held_long), GRADE_NOTE);
	assert_int_equal(verdict.last[0].import, 1);
}

static void held_long_is_silent_about_short_use(void **state)
{
	(void)state;
	lend(PRODUCER, A);
	OPEN(CONSUMER, A, 0);
	give_back(CONSUMER, A);
	pass(CUDA_HELD_LONG_NS);
	finish();
	assert_heard(TRIGGER_SHARING_OVER, 0, ipc_held_long, GRADE_OFF);
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(held_long_fires_for_the_worst),
		STORY(held_long_is_silent_about_short_use),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
