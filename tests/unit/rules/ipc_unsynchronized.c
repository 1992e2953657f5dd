/* Stories of ipc-unsynchronized. Neighbours: story_cuda.h, tools/rules/ipc/ipc_unsynchronized.c. */
#include "story_cuda.h"

static void unsynchronized_fires(void **state)
{
	(void)state;
	export_as(PRODUCER, A, MPSAN_MEMORY_DEVICE, MPSAN_IPC_UNSYNCED);
	assert_heard(TRIGGER_IPC_OPEN, OPEN(CONSUMER, A, 0), ipc_unsynchronized, GRADE_NOTE);
}

static void unsynchronized_is_silent_after_work_an_event_or_with_torch(void **state)
{
	(void)state;
	lend(PRODUCER, A);
	assert_heard(TRIGGER_IPC_OPEN, OPEN(CONSUMER, A, 0), ipc_unsynchronized, GRADE_OFF);
	export_as(PRODUCER, B, MPSAN_MEMORY_DEVICE, MPSAN_IPC_UNSYNCED);
	make_event(PRODUCER, 0);
	assert_heard(TRIGGER_IPC_OPEN, OPEN(CONSUMER, B, 0), ipc_unsynchronized, GRADE_OFF);
	export_as(PRODUCER, 0xc1, MPSAN_MEMORY_DEVICE, MPSAN_IPC_UNSYNCED | MPSAN_IPC_TORCH);
	assert_heard(TRIGGER_IPC_OPEN, OPEN(CONSUMER, 0xc1, 0), ipc_unsynchronized, GRADE_OFF);
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(unsynchronized_fires),
		STORY(unsynchronized_is_silent_after_work_an_event_or_with_torch),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
