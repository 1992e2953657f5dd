/* Stories of thread-died. Neighbours: story_raised.h, tools/rules/workers/thread_died.c. */
#include "story_raised.h"

static void waits_for_item(void)
{
	blocks(MPSAN_LOCK_SEMAPHORE, MPSAN_LF_PYTHON);
	blocked[0].frames.what = AWAITED_ITEM;
}

static void died_notes_a_thread_that_nobody_waits_for(void **state)
{
	(void)state;
	raises(MPSAN_WHERE_THREAD);
	waits_for_item();
	deadlock.ev.cause = MPSAN_DEADLOCK_LONG;
	blocked[0].ev.flags |= MPSAN_LF_PARKED;
	assert_grade(&world, TRIGGER_CLOSE, thread_died, GRADE_NOTE);
	blocked[0].ev.flags = MPSAN_LF_PYTHON; /* the hang names it */
	assert_grade(&world, TRIGGER_CLOSE, thread_died, GRADE_OFF);
}

static void died_fires_on_who_waits_for_its_item(void **state)
{
	(void)state;
	raises(MPSAN_WHERE_THREAD);
	waits_for_item();
	assert_deadlock(MPSAN_DEADLOCK_DEAD_END, thread_died, GRADE_ERROR);
	assert_alone(RULE_thread_died);
	assert_grade(&world, TRIGGER_CLOSE, thread_died, GRADE_OFF);
	blocked[0].ev.ends = MPSAN_ENDS_LIMIT;
	assert_deadlock(MPSAN_DEADLOCK_DEAD_END, thread_died, GRADE_WARNING);
}

static void died_is_silent_where_another_owns_what_is_awaited(void **state)
{
	(void)state;
	raises(MPSAN_WHERE_THREAD);
	waits_for_item();
	blocked[0].ev.owner = WORKER;
	assert_deadlock(MPSAN_DEADLOCK_DEAD_END, thread_died, GRADE_OFF);
	blocked[0].ev.owner = 0;
	raised_record.head.time_ns = 13 * SECOND;
	assert_deadlock(MPSAN_DEADLOCK_DEAD_END, thread_died, GRADE_OFF);
}

static void died_is_silent_about_what_the_program_caught(void **state)
{
	(void)state;
	raises(MPSAN_WHERE_OTHER);
	assert_grade(&world, TRIGGER_CLOSE, thread_died, GRADE_OFF);
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(died_notes_a_thread_that_nobody_waits_for),
		STORY(died_fires_on_who_waits_for_its_item),
		STORY(died_is_silent_where_another_owns_what_is_awaited),
		STORY(died_is_silent_about_what_the_program_caught),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
