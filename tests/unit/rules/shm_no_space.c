/* Stories of shm-no-space. Neighbours: story_shm.h, tools/rules/shm/shm_no_space.c. */
#include "story_shm.h"

static uint32_t grow(uint32_t segment, uint64_t bytes, uint64_t available)
{
	return ACT(MAKER, shm_size, 0, 0, .device = DEVICE, .inode = segment, .bytes = bytes,
		   .free = available);
}

static uint32_t hit(uint32_t segment, uint64_t number, uint64_t available)
{
	return ACT(MAKER, fault, 0, 0, .signal = number, .device = DEVICE, .inode = segment,
		   .bytes = MIB, .free = available);
}

static void no_space_warns_and_is_proved_by_the_signal(void **state)
{
	(void)state;
	make(MAKER, A);
	assert_heard(TRIGGER_EVENT, grow(A, 8 * MIB, 2 * MIB), shm_no_space, GRADE_WARNING);
	assert_heard(TRIGGER_EVENT, hit(A, SIGBUS, 0), shm_no_space, GRADE_ERROR);
}

static void no_space_warns_of_a_call_that_failed(void **state)
{
	(void)state;
	assert_heard(TRIGGER_EVENT, at_limit(MPSAN_SHM_NO_SPACE, 0, 0), shm_no_space,
		     GRADE_WARNING);
}

static void no_space_is_silent_when_there_is_room(void **state)
{
	(void)state;
	make(MAKER, A);
	assert_heard(TRIGGER_EVENT, grow(A, MIB, 2 * MIB), shm_no_space, GRADE_OFF);
	assert_heard(TRIGGER_EVENT, hit(A, SIGBUS, 64 * MIB), shm_no_space,
		     GRADE_OFF); /* its end */
	assert_heard(TRIGGER_EVENT, hit(A, SIGSEGV, 0), shm_no_space, GRADE_OFF);
	assert_heard(TRIGGER_EVENT, hit(B, SIGBUS, 0), shm_no_space, GRADE_OFF); /* some file */
}

static void no_space_is_silent_about_memory_without_a_name(void **state)
{
	(void)state;
	make_as(MAKER, A, MPSAN_SHM_MEMFD, 0);
	assert_heard(TRIGGER_EVENT, grow(A, 8 * MIB, 0), shm_no_space, GRADE_OFF);
	assert_heard(TRIGGER_EVENT, hit(A, SIGBUS, 0), shm_no_space, GRADE_OFF);
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(no_space_warns_and_is_proved_by_the_signal),
		STORY(no_space_warns_of_a_call_that_failed),
		STORY(no_space_is_silent_when_there_is_room),
		STORY(no_space_is_silent_about_memory_without_a_name),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
