/*
 * Stories of fork-inherited-tensor.
 * Neighbours: story_shm.h, tools/rules/fork/fork_inherited_tensor.c.
 */
#include "story_shm.h"

static uint32_t give_up(uint32_t by, enum mpsan_shm_use what)
{
	return ACT(by, shm_inherited, A, 0, .device = DEVICE, .inode = A, .what = what);
}

static void inherited_tensor_warns_of_a_removed_name(void **state)
{
	(void)state;
	copy(MAKER, USER);
	make_tensor(MAKER, A);
	map(MAKER, A);
	assert_heard(TRIGGER_EVENT, give_up(USER, MPSAN_SHM_UNLINKED), fork_inherited_tensor,
		     GRADE_WARNING);
	assert_heard(TRIGGER_EVENT, remove_name(USER, A), fork_inherited_tensor, GRADE_WARNING);
}

static void inherited_tensor_fires_as_a_note_about_an_unmap(void **state)
{
	(void)state;
	copy(MAKER, USER);
	make_tensor(MAKER, A);
	map(MAKER, A);
	assert_heard(TRIGGER_EVENT, give_up(USER, MPSAN_SHM_UNMAPPED), fork_inherited_tensor,
		     GRADE_NOTE);
}

static void inherited_tensor_is_silent_about_other_memory_and_descriptors(void **state)
{
	(void)state;
	copy(MAKER, USER);
	make_tensor(MAKER, A);
	assert_heard(TRIGGER_EVENT, give_up(USER, MPSAN_SHM_CLOSED), fork_inherited_tensor,
		     GRADE_OFF);
	assert_heard(TRIGGER_EVENT, give_up(USER, MPSAN_SHM_UNLINKED), fork_inherited_tensor,
		     GRADE_OFF); /* nobody has it mapped */
	copy(OTHER, USER);
	make(OTHER, A);
	map(OTHER, A);
	assert_heard(TRIGGER_EVENT, give_up(USER, MPSAN_SHM_UNLINKED), fork_inherited_tensor,
		     GRADE_OFF); /* not PyTorch's */
}

/* It was handed over, or opened by its name. */
static void inherited_tensor_is_silent_about_one_that_came_otherwise(void **state)
{
	(void)state;
	copy(MAKER, USER);
	make_tensor(MAKER, A);
	map(MAKER, A);
	ACT(USER, shm, A, 0, .way = MPSAN_SHM_RECEIVED, .device = DEVICE, .inode = A);
	assert_heard(TRIGGER_EVENT, remove_name(USER, A), fork_inherited_tensor, GRADE_OFF);
	assert_heard(TRIGGER_EVENT, remove_name(OTHER, A), fork_inherited_tensor, GRADE_OFF);
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(inherited_tensor_warns_of_a_removed_name),
		STORY(inherited_tensor_fires_as_a_note_about_an_unmap),
		STORY(inherited_tensor_is_silent_about_other_memory_and_descriptors),
		STORY(inherited_tensor_is_silent_about_one_that_came_otherwise),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
