/* Stories of shm-leaked. Neighbours: story_shm.h, tools/rules/shm/shm_leaked.c. */
#include "story_shm.h"

static uint32_t find(uint32_t segment)
{
	return ACT(MAKER, shm_left, segment, 0, .device = DEVICE, .inode = segment, .bytes = MIB);
}

static void leaked_is_proved_of_a_tensor(void **state)
{
	(void)state;
	make_tensor(MAKER, A);
	leave(MAKER);
	assert_heard(TRIGGER_EVENT, find(A), shm_leaked, GRADE_ERROR);
}

static void leaked_is_proved_when_its_maker_was_killed(void **state)
{
	(void)state;
	make(MAKER, A);
	kill_it(MAKER);
	assert_heard(TRIGGER_EVENT, find(A), shm_leaked, GRADE_ERROR);
}

static void leaked_is_proved_of_a_name_that_was_being_made(void **state)
{
	(void)state;
	ACT(MAKER, shm_intent, A, 0, .way = MPSAN_SHM_OPEN);
	kill_it(MAKER);
	assert_heard(TRIGGER_EVENT, find(A), shm_leaked, GRADE_ERROR);
}

static void leaked_is_proved_of_a_name_that_was_left_in_peace(void **state)
{
	(void)state;
	make(MAKER, A);
	leave(MAKER);
	assert_heard(TRIGGER_EVENT, find(A), shm_leaked, GRADE_ERROR);
}

static void leaked_is_a_note_about_a_tensor_whose_thread_was_cut_short(void **state)
{
	(void)state;
	records[make_tensor(MAKER, A)].head.tid++;
	leave(MAKER);
	assert_heard(TRIGGER_EVENT, find(A), shm_leaked, GRADE_NOTE);
}

static void leaked_is_proved_of_a_tensor_that_a_thread_left_long_before(void **state)
{
	(void)state;
	records[make_tensor(MAKER, A)].head.tid++;
	clock_now += 2 * SECOND;
	leave(MAKER);
	assert_heard(TRIGGER_EVENT, find(A), shm_leaked, GRADE_ERROR);
}

static void leaked_is_silent_about_a_file(void **state)
{
	(void)state;
	make_as(MAKER, A, MPSAN_SHM_FILE, 0);
	leave(MAKER);
	assert_heard(TRIGGER_EVENT, find(A), shm_leaked, GRADE_OFF);
}

static void leaked_fires_as_a_note_about_a_file_that_was_mapped(void **state)
{
	(void)state;
	make_as(MAKER, A, MPSAN_SHM_FILE, 0);
	map(MAKER, A);
	leave(MAKER);
	assert_heard(TRIGGER_EVENT, find(A), shm_leaked, GRADE_NOTE);
}

static void leaked_warns_of_a_mapped_file_whose_maker_was_killed(void **state)
{
	(void)state;
	make_as(MAKER, A, MPSAN_SHM_FILE, 0);
	map(USER, A);
	kill_it(MAKER);
	assert_heard(TRIGGER_EVENT, find(A), shm_leaked, GRADE_WARNING);
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(leaked_is_proved_of_a_tensor),
		STORY(leaked_is_proved_when_its_maker_was_killed),
		STORY(leaked_is_proved_of_a_name_that_was_being_made),
		STORY(leaked_is_proved_of_a_name_that_was_left_in_peace),
		STORY(leaked_is_a_note_about_a_tensor_whose_thread_was_cut_short),
		STORY(leaked_is_proved_of_a_tensor_that_a_thread_left_long_before),
		STORY(leaked_is_silent_about_a_file),
		STORY(leaked_fires_as_a_note_about_a_file_that_was_mapped),
		STORY(leaked_warns_of_a_mapped_file_whose_maker_was_killed),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
