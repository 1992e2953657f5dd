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

static void file_offset_fires_when_answers_may_be_swapped(void **state)
{
	(void)state;
	uses(PARENT, MPSAN_OFFSET_STREAM, MPSAN_OFFSET_WRITE, 10);
	uses(CHILD, MPSAN_OFFSET_STREAM, MPSAN_OFFSET_WRITE, 20);
	assert_act(shared_file_offset, GRADE_NOTE);
	uses(PARENT, MPSAN_OFFSET_STREAM, MPSAN_OFFSET_READ, 30);
	uses(CHILD, MPSAN_OFFSET_STREAM, MPSAN_OFFSET_READ, 40);
	assert_act(shared_file_offset, GRADE_ERROR);
}

static void file_offset_warns_of_questions_in_turn(void **state)
{
	(void)state;
	uses(PARENT, MPSAN_OFFSET_STREAM, MPSAN_OFFSET_WRITE, 10);
	uses(PARENT, MPSAN_OFFSET_STREAM, MPSAN_OFFSET_READ, 20);
	uses(CHILD, MPSAN_OFFSET_STREAM, MPSAN_OFFSET_WRITE, 30);
	uses(CHILD, MPSAN_OFFSET_STREAM, MPSAN_OFFSET_READ, 40);
	assert_act(shared_file_offset, GRADE_WARNING);
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
		STORY(file_offset_is_silent_one_after_the_other),
		STORY(file_offset_is_silent_without_a_seek_or_a_proof),
		STORY(file_offset_is_silent_about_uses_before_the_fork),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
