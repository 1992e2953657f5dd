/*
 * Stories of shared-file-offset.
 * Neighbours: story_events.h, tools/rules/shm/shared_file_offset.c.
 */
#include "story_events.h"

static void file_offset_warns_when_two_meet(void **state)
{
	(void)state;
	uses(PARENT, MPSAN_OFFSET_FILE, MPSAN_OFFSET_MOVE, 10);
	uses(PARENT, MPSAN_OFFSET_FILE, MPSAN_OFFSET_READ, 20);
	assert_act(shared_file_offset, GRADE_OFF);
	uses(CHILD, MPSAN_OFFSET_FILE, MPSAN_OFFSET_READ, 30);
	assert_act(shared_file_offset, GRADE_WARNING);
	uses(CHILD, MPSAN_OFFSET_FILE, MPSAN_OFFSET_WRITE, 40); /* said already */
	assert_act(shared_file_offset, GRADE_OFF);
}

static struct ev_offset_used *newest_use(void)
{
	return (struct ev_offset_used *)records[world.facts.event_count - 1].fields;
}

/* Reads an answer; the last write before it was at `asked` (ms). */
static void hears(uint32_t by, uint64_t asked, uint64_t ms)
{
	uses(by, MPSAN_OFFSET_STREAM, MPSAN_OFFSET_READ, ms);
	newest_use()->asked = 10 * SECOND + asked * 1000000;
}

static void uses_under(uint32_t by, uint64_t kind, uint64_t what, uint64_t ms, uint64_t gate)
{
	uses(by, kind, what, ms);
	newest_use()->gate = gate;
}

static void file_offset_fires_when_answers_may_be_swapped(void **state)
{
	(void)state;
	uses(PARENT, MPSAN_OFFSET_STREAM, MPSAN_OFFSET_WRITE, 10);
	uses(CHILD, MPSAN_OFFSET_STREAM, MPSAN_OFFSET_WRITE, 20);
	assert_act(shared_file_offset, GRADE_NOTE);
	hears(PARENT, 10, 30);
	hears(CHILD, 20, 40);
	assert_act(shared_file_offset, GRADE_ERROR);
}

static void file_offset_warns_of_questions_in_turn(void **state)
{
	(void)state;
	uses(PARENT, MPSAN_OFFSET_STREAM, MPSAN_OFFSET_WRITE, 10);
	hears(PARENT, 10, 20);
	uses(CHILD, MPSAN_OFFSET_STREAM, MPSAN_OFFSET_WRITE, 30);
	hears(CHILD, 30, 40);
	assert_act(shared_file_offset, GRADE_WARNING);
}

/* Both said something first that is not answered: what counts is the last write before the own read. */
static void file_offset_warns_of_what_is_not_answered(void **state)
{
	(void)state;
	uses(PARENT, MPSAN_OFFSET_STREAM, MPSAN_OFFSET_WRITE, 10);
	uses(CHILD, MPSAN_OFFSET_STREAM, MPSAN_OFFSET_WRITE, 11);
	hears(PARENT, 28, 30);
	hears(CHILD, 38, 40);
	assert_act(shared_file_offset, GRADE_WARNING);
}

/* A log of before that was recorded proves nothing. */
static void file_offset_warns_without_the_time_of_the_question(void **state)
{
	(void)state;
	uses(PARENT, MPSAN_OFFSET_STREAM, MPSAN_OFFSET_WRITE, 10);
	uses(CHILD, MPSAN_OFFSET_STREAM, MPSAN_OFFSET_WRITE, 20);
	uses(PARENT, MPSAN_OFFSET_STREAM, MPSAN_OFFSET_READ, 30);
	uses(CHILD, MPSAN_OFFSET_STREAM, MPSAN_OFFSET_READ, 40);
	assert_act(shared_file_offset, GRADE_WARNING);
}

static void file_offset_is_silent_under_one_lock(void **state)
{
	(void)state;
	uses_under(PARENT, MPSAN_OFFSET_STREAM, MPSAN_OFFSET_WRITE, 10, 7);
	uses_under(CHILD, MPSAN_OFFSET_STREAM, MPSAN_OFFSET_WRITE, 20, 7);
	assert_act(shared_file_offset, GRADE_OFF);
	uses_under(PARENT, MPSAN_OFFSET_STREAM, MPSAN_OFFSET_READ, 30, 7);
	uses_under(CHILD, MPSAN_OFFSET_STREAM, MPSAN_OFFSET_READ, 40, 5);
	newest_use()->gate2 = 7; /* it has a second lock */
	assert_act(shared_file_offset, GRADE_OFF);
	uses(CHILD, MPSAN_OFFSET_STREAM, MPSAN_OFFSET_READ, 50); /* and now none */
	assert_act(shared_file_offset, GRADE_WARNING);
}

static void file_offset_warns_under_locks_of_each(void **state)
{
	(void)state;
	uses_under(PARENT, MPSAN_OFFSET_FILE, MPSAN_OFFSET_MOVE, 10, 7);
	uses_under(PARENT, MPSAN_OFFSET_FILE, MPSAN_OFFSET_READ, 20, 7);
	uses_under(CHILD, MPSAN_OFFSET_FILE, MPSAN_OFFSET_READ, 30, 5);
	assert_act(shared_file_offset, GRADE_WARNING);
	newest_use()->gate = 7;
	assert_act(shared_file_offset, GRADE_OFF);
}

/* Such a lock lets more than one in. */
static void file_offset_fires_under_a_lock_that_keeps_nobody_out(void **state)
{
	(void)state;
	hears(PARENT, 10, 30);
	newest_use()->gate = 7;
	hears(CHILD, 20, 40);
	newest_use()->gate = 7;
	assert_act(shared_file_offset, GRADE_ERROR);
}

static void file_offset_is_silent_one_after_the_other(void **state)
{
	(void)state;
	uses(CHILD, MPSAN_OFFSET_FILE, MPSAN_OFFSET_MOVE, 10);
	uses(CHILD, MPSAN_OFFSET_FILE, MPSAN_OFFSET_READ, 20);
	world.slot[CHILD].end_ns = 10 * SECOND + 25 * 1000000;
	uses(PARENT, MPSAN_OFFSET_FILE, MPSAN_OFFSET_READ, 30);
	assert_act(shared_file_offset, GRADE_OFF);
}

static void file_offset_is_silent_without_a_seek_or_a_proof(void **state)
{
	(void)state;
	uses(PARENT, MPSAN_OFFSET_FILE, MPSAN_OFFSET_WRITE, 10);
	uses(CHILD, MPSAN_OFFSET_FILE, MPSAN_OFFSET_WRITE, 20);
	assert_act(shared_file_offset, GRADE_OFF);
	uses(CHILD, MPSAN_OFFSET_FILE, MPSAN_OFFSET_MOVE, 30);
	for (unsigned i = 0; i < 3; i++)
		((struct ev_offset_used *)records[i].fields)->with = 0; /* kcmp did not say so */
	assert_act(shared_file_offset, GRADE_OFF);
}

static void file_offset_is_silent_about_uses_before_the_fork(void **state)
{
	(void)state;
	uses(PARENT, MPSAN_OFFSET_FILE, MPSAN_OFFSET_MOVE, 10);
	records[0].head.time_ns = 9 * SECOND;
	uses(CHILD, MPSAN_OFFSET_FILE, MPSAN_OFFSET_READ, 20);
	assert_act(shared_file_offset, GRADE_OFF);
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(file_offset_warns_when_two_meet),
		STORY(file_offset_fires_when_answers_may_be_swapped),
		STORY(file_offset_warns_of_questions_in_turn),
		STORY(file_offset_warns_of_what_is_not_answered),
		STORY(file_offset_warns_without_the_time_of_the_question),
		STORY(file_offset_is_silent_under_one_lock),
		STORY(file_offset_warns_under_locks_of_each),
		STORY(file_offset_fires_under_a_lock_that_keeps_nobody_out),
		STORY(file_offset_is_silent_one_after_the_other),
		STORY(file_offset_is_silent_without_a_seek_or_a_proof),
		STORY(file_offset_is_silent_about_uses_before_the_fork),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
