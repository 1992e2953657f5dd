/* Stories of shm-unsynchronized. Neighbours: story_shm.h, tools/rules/shm/shm_unsynchronized.c. */
#include "story_shm.h"

static void unsynchronized_fires_as_a_note(void **state)
{
	(void)state;
	make(MAKER, A);
	map(MAKER, A);
	map(USER, A);
	assert_heard(TRIGGER_CLOSE, 0, shm_unsynchronized, GRADE_NOTE);
}

static void unsynchronized_is_silent_with_a_lock_a_reader_or_one_after_the_other(void **state)
{
	(void)state;
	make(MAKER, A);
	map(MAKER, A);
	map(USER, A);
	locks[MAKER] = true;
	assert_heard(TRIGGER_CLOSE, 0, shm_unsynchronized, GRADE_OFF);
	begin(NULL);
	make(MAKER, A);
	map(MAKER, A);
	map_as(USER, A, 0);
	assert_heard(TRIGGER_CLOSE, 0, shm_unsynchronized, GRADE_OFF);
	begin(NULL);
	make(MAKER, A);
	unmap(map(MAKER, A));
	map(USER, A);
	assert_heard(TRIGGER_CLOSE, 0, shm_unsynchronized, GRADE_OFF);
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(unsynchronized_fires_as_a_note),
		STORY(unsynchronized_is_silent_with_a_lock_a_reader_or_one_after_the_other),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
