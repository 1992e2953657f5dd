/* Stories of ipc-self-open. Neighbours: story_cuda.h, tools/rules/ipc/ipc_self_open.c. */
#include "story_cuda.h"

static void self_open_is_proved_by_its_failure(void **state)
{
	(void)state;
	lend(PRODUCER, A);
	assert_heard(TRIGGER_IPC_OPEN, OPEN(PRODUCER, A, 201), ipc_self_open, GRADE_ERROR);
	assert_heard(TRIGGER_IPC_OPEN, OPEN(PRODUCER, A, 0), ipc_self_open, GRADE_WARNING);
}

static void self_open_is_silent_about_others_and_about_descriptors(void **state)
{
	(void)state;
	lend(PRODUCER, A);
	assert_heard(TRIGGER_IPC_OPEN, OPEN(CONSUMER, A, 201), ipc_self_open, GRADE_OFF);
	export_as(PRODUCER, B, MPSAN_MEMORY_VMM, 0);
	assert_heard(TRIGGER_IPC_OPEN, OPEN(PRODUCER, B, 0, .memory = MPSAN_MEMORY_VMM),
		     ipc_self_open, GRADE_OFF);
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(self_open_is_proved_by_its_failure),
		STORY(self_open_is_silent_about_others_and_about_descriptors),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
