/*
 * Stories of main-not-guarded.
 * Neighbours: story_events.h, tools/rules/workers/main_not_guarded.c.
 */
#include "story_events.h"

static void guarded_fires_when_python_refuses(void **state)
{
	(void)state;
	ACT(CHILD, main_again, .how = MPSAN_MAIN_REFUSED);
	assert_act(main_not_guarded, GRADE_ERROR);
}

static void guarded_fires_for_copies_and_notes_programs(void **state)
{
	(void)state;
	ACT(PARENT, main_again, .how = MPSAN_MAIN_FORKED);
	assert_act(main_not_guarded, GRADE_WARNING);
	world.process[CHILD].exec_ns = 10 * SECOND + 1;
	assert_act(main_not_guarded, GRADE_NOTE);
	world.process[CHILD].exec_ns = 0;
	world.fork.ev.how = MPSAN_HOW_VFORK;
	assert_act(main_not_guarded, GRADE_NOTE);
}

static void guarded_fires_for_memory_and_notes_cuda(void **state)
{
	(void)state;
	ACT(CHILD, main_again, .how = MPSAN_MAIN_SHARED);
	assert_act(main_not_guarded, GRADE_WARNING);
	ACT(CHILD, main_again, .how = MPSAN_MAIN_CUDA);
	assert_act(main_not_guarded, GRADE_NOTE);
}

static void guarded_is_silent_about_other_acts(void **state)
{
	(void)state;
	ACT(CHILD, plain_arguments, .shared = 1);
	assert_act(main_not_guarded, GRADE_OFF);
	ACT(CHILD, main_again, .how = 99);
	assert_act(main_not_guarded, GRADE_OFF);
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(guarded_fires_when_python_refuses),
		STORY(guarded_fires_for_copies_and_notes_programs),
		STORY(guarded_fires_for_memory_and_notes_cuda),
		STORY(guarded_is_silent_about_other_acts),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
