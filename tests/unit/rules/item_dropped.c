/* Stories of item-dropped. Neighbours: story_raised.h, tools/rules/workers/item_dropped.c. */
#include "story_raised.h"

static void dropped_warns_of_an_item(void **state)
{
	(void)state;
	raises(MPSAN_WHERE_FEEDER);
	assert_grade(&world, TRIGGER_EVENT, item_dropped, GRADE_WARNING);
}

static void dropped_fires_on_a_reader_of_that_pipe(void **state)
{
	(void)state;
	raises(MPSAN_WHERE_FEEDER)->item = 0x77;
	blocks(MPSAN_WAIT_PIPE_READ, 0)->lock = 0x77;
	assert_deadlock(MPSAN_DEADLOCK_DEAD_END, item_dropped, GRADE_ERROR);
	assert_alone(RULE_item_dropped);
	assert_int_equal(announce(&world, TRIGGER_DEADLOCK).last[0].cause, 1);
	blocked[0].ev.flags = MPSAN_LF_DOUBT;
	assert_deadlock(MPSAN_DEADLOCK_DEAD_END, item_dropped, GRADE_WARNING);
}

static void dropped_is_silent_about_readers_of_other_pipes(void **state)
{
	(void)state;
	raises(MPSAN_WHERE_FEEDER)->item = 0x78;
	blocks(MPSAN_WAIT_PIPE_READ, 0)->lock = 0x77;
	assert_deadlock(MPSAN_DEADLOCK_DEAD_END, item_dropped, GRADE_OFF);
	raised_record.head.time_ns = 13 * SECOND;
	((struct ev_exception *)raised_record.fields)->item = 0x77;
	assert_deadlock(MPSAN_DEADLOCK_DEAD_END, item_dropped, GRADE_OFF);
}

static void dropped_is_silent_about_other_exceptions(void **state)
{
	(void)state;
	raises(MPSAN_WHERE_THREAD);
	assert_grade(&world, TRIGGER_EVENT, item_dropped, GRADE_OFF);
	raises(MPSAN_WHERE_OTHER);
	assert_grade(&world, TRIGGER_EVENT, item_dropped, GRADE_OFF);
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(dropped_warns_of_an_item),
		STORY(dropped_fires_on_a_reader_of_that_pipe),
		STORY(dropped_is_silent_about_readers_of_other_pipes),
		STORY(dropped_is_silent_about_other_exceptions),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
