/* Stories of cleanup-hides-error. Neighbours: story_raised.h, tools/rules/workers/cleanup_hides_error.c. */
#include "story_raised.h"

#define PLACE 0x1234567

static void cleans_up(void)
{
	blocks(MPSAN_WAIT_PROCESS, 0)->cleans = PLACE;
}

static void hides_warns_of_what_a_signal_ended(void **state)
{
	(void)state;
	cleans_up();
	assert_deadlock(MPSAN_DEADLOCK_LAST, cleanup_hides_error, GRADE_WARNING);
	assert_alone(RULE_cleanup_hides_error);
	assert_deadlock(MPSAN_DEADLOCK_DRAFT, cleanup_hides_error, GRADE_WARNING);
	assert_alone(RULE_cleanup_hides_error);
}

static void hides_warns_where_a_long_wait_were_a_note(void **state)
{
	(void)state;
	cleans_up();
	assert_deadlock(MPSAN_DEADLOCK_LONG, cleanup_hides_error, GRADE_OFF);
	assert_alone(RULE_hang);
	blocked[0].ev.flags = MPSAN_LF_PARKED;
	assert_deadlock(MPSAN_DEADLOCK_LONG, cleanup_hides_error, GRADE_WARNING);
	assert_alone(RULE_cleanup_hides_error);
	blocked[0].ev.flags = MPSAN_LF_PARKED | MPSAN_LF_NO_KEYBOARD;
	assert_deadlock(MPSAN_DEADLOCK_LONG, cleanup_hides_error, GRADE_OFF);
}

static void hides_is_silent_about_what_was_told(void **state)
{
	struct ev_exception *told;

	(void)state;
	told = raises(MPSAN_WHERE_OTHER);
	cleans_up();
	assert_deadlock(MPSAN_DEADLOCK_LAST, cleanup_hides_error, GRADE_WARNING);
	told->place = PLACE;
	assert_deadlock(MPSAN_DEADLOCK_LAST, cleanup_hides_error, GRADE_OFF);
	assert_alone(RULE_hang);
}

static void hides_is_silent_where_not_everything_was_seen(void **state)
{
	(void)state;
	cleans_up();
	world.process[PARENT].lossy = true;
	assert_deadlock(MPSAN_DEADLOCK_LAST, cleanup_hides_error, GRADE_OFF);
	world.process[PARENT].lossy = false;
	world.facts.outside = true;
	assert_deadlock(MPSAN_DEADLOCK_LAST, cleanup_hides_error, GRADE_OFF);
}

static void hides_is_silent_about_proofs_and_other_waits(void **state)
{
	(void)state;
	cleans_up();
	assert_deadlock(MPSAN_DEADLOCK_DEAD_END, cleanup_hides_error, GRADE_OFF);
	blocked[0].ev.cleans = 0;
	assert_deadlock(MPSAN_DEADLOCK_LAST, cleanup_hides_error, GRADE_OFF);
}

static void hides_has_the_fix_of_the_wait(void **state)
{
	(void)state;
	cleans_up();
	deadlock.ev.cause = MPSAN_DEADLOCK_LAST;
	assert_non_null(strstr(announce(&world, TRIGGER_DEADLOCK).last[0].fix, "kill()"));
	blocked[0].ev.kind = MPSAN_WAIT_JOIN;
	assert_non_null(strstr(announce(&world, TRIGGER_DEADLOCK).last[0].fix, "Pool.terminate()"));
	blocked[0].ev.kind = MPSAN_LOCK_SEMAPHORE;
	blocked[0].frames.what = AWAITED_ITEM;
	assert_non_null(strstr(announce(&world, TRIGGER_DEADLOCK).last[0].fix, "take a timeout"));
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(hides_warns_of_what_a_signal_ended),
		STORY(hides_warns_where_a_long_wait_were_a_note),
		STORY(hides_is_silent_about_what_was_told),
		STORY(hides_is_silent_where_not_everything_was_seen),
		STORY(hides_is_silent_about_proofs_and_other_waits),
		STORY(hides_has_the_fix_of_the_wait),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
