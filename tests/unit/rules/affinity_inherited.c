/*
 * Stories of affinity-inherited.
 * Neighbours: story_events.h, tools/rules/workers/affinity_inherited.c.
 */
#include "story_events.h"

static void affinity_inherited_fires_with_the_choice(void **state)
{
	struct verdict verdict;

	(void)state;
	ACT(PARENT, affinity, .pid = 100, .before = 8, .processors = 1);
	ACT(CHILD, bound, .processors = 1, .parent_slot = PARENT + 1, .siblings = 3);
	assert_act(affinity_inherited, GRADE_WARNING);
	verdict = announce_at(TRIGGER_EVENT, 1);
	assert_int_equal(verdict.last[0].cause, 1);
}

static void affinity_inherited_notes_an_unseen_choice(void **state)
{
	(void)state;
	ACT(CHILD, bound, .processors = 1, .parent_slot = PARENT + 1, .siblings = 3);
	assert_act(affinity_inherited, GRADE_NOTE);
	ACT(PARENT, affinity, .pid = 100, .before = 1, .processors = 8);
	ACT(CHILD, bound, .processors = 1, .parent_slot = PARENT + 1, .siblings = 3);
	assert_act(affinity_inherited, GRADE_NOTE);
}

static void affinity_inherited_is_silent_about_two_processors(void **state)
{
	(void)state;
	ACT(PARENT, affinity, .pid = 100, .before = 8, .processors = 2);
	assert_act(affinity_inherited, GRADE_OFF);
	ACT(CHILD, bound, .processors = 2, .parent_slot = PARENT + 1, .siblings = 3);
	assert_act(affinity_inherited, GRADE_OFF);
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(affinity_inherited_fires_with_the_choice),
		STORY(affinity_inherited_notes_an_unseen_choice),
		STORY(affinity_inherited_is_silent_about_two_processors),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
