/*
 * Stories of fork-unflushed-stdio.
 * Neighbours: story_events.h, tools/rules/fork/fork_unflushed_stdio.c.
 */
#include "story_events.h"

static void stdio(void)
{
	*(struct ev_stdio_twice *)act_add(CHILD, EV_stdio_twice, 50) =
		(struct ev_stdio_twice){.fd = 1, .bytes = 21};
}

static void unflushed_stdio_fires_as_a_note(void **state)
{
	(void)state;
	stdio();
	assert_act(fork_unflushed_stdio, GRADE_NOTE);
}

static void unflushed_stdio_is_silent_when_the_parent_never_writes(void **state)
{
	(void)state;
	stdio();
	world.slot[PARENT].end = MPSAN_END_SIGNAL;
	assert_act(fork_unflushed_stdio, GRADE_OFF);
	world.slot[PARENT].end = MPSAN_END_EXIT;
	world.process[PARENT].exec_ns = 11 * SECOND;
	assert_act(fork_unflushed_stdio, GRADE_OFF);
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(unflushed_stdio_fires_as_a_note),
		STORY(unflushed_stdio_is_silent_when_the_parent_never_writes),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
