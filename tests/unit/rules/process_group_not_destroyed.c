/*
 * Stories of process-group-not-destroyed.
 * Neighbours: story_events.h, tools/rules/workers/process_group_not_destroyed.c.
 */
#include "story_events.h"

#define assert_end(rule, wanted)                                             \
	do {                                                                 \
		struct verdict verdict_ = announce_at(TRIGGER_ENDED, CHILD); \
		assert_int_equal(grade_of(&verdict_, RULE_##rule), wanted);  \
	} while (0)

static void end_child(uint16_t end, int value)
{
	world.slot[CHILD].end = end;
	world.slot[CHILD].end_value = value;
	world.process[CHILD].gone = true;
	world.process[CHILD].gone_ns = 15 * SECOND;
}

static void destroyed_fires_when_a_group_is_left(void **state)
{
	struct verdict verdict;

	(void)state;
	ACT(CHILD, group, .made = 1);
	end_child(MPSAN_END_EXIT, 0);
	assert_end(process_group_not_destroyed, GRADE_NOTE);
	verdict = announce_at(TRIGGER_ENDED, CHILD);
	assert_int_equal(verdict.last[0].cause, 1);
	assert_int_equal(verdict.last[0].process, CHILD + 1);
}

static void destroyed_fires_when_a_second_group_is_left(void **state)
{
	(void)state;
	ACT(CHILD, group, .made = 1);
	ACT(CHILD, group, .made = 0);
	ACT(CHILD, group, .made = 1);
	end_child(MPSAN_END_EXIT, 0);
	assert_end(process_group_not_destroyed, GRADE_NOTE);
}

static void destroyed_is_silent_when_it_was(void **state)
{
	(void)state;
	ACT(CHILD, group, .made = 1);
	ACT(CHILD, group, .made = 0);
	end_child(MPSAN_END_EXIT, 0);
	assert_end(process_group_not_destroyed, GRADE_OFF);
}

static void destroyed_is_silent_about_failures(void **state)
{
	(void)state;
	ACT(CHILD, group, .made = 1);
	end_child(MPSAN_END_EXIT, 1);
	assert_end(process_group_not_destroyed, GRADE_OFF);
	end_child(MPSAN_END_SIGNAL, 9);
	assert_end(process_group_not_destroyed, GRADE_OFF);
	end_child(MPSAN_END_EXIT, 0);
	world.process[CHILD].lossy = true;
	assert_end(process_group_not_destroyed, GRADE_OFF);
	world.process[CHILD].lossy = false;
	world.process[CHILD].stayed = true;
	assert_end(process_group_not_destroyed, GRADE_OFF);
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(destroyed_fires_when_a_group_is_left),
		STORY(destroyed_fires_when_a_second_group_is_left),
		STORY(destroyed_is_silent_when_it_was),
		STORY(destroyed_is_silent_about_failures),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
