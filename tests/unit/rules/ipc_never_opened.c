/* Stories of ipc-never-opened. Neighbours: story_cuda.h, tools/rules/ipc/ipc_never_opened.c. */
#include "story_cuda.h"

static void never_opened_warns(void **state)
{
	(void)state;
	lend(PRODUCER, A);
	pass(CUDA_GRACE_NS);
	leave(PRODUCER);
	assert_heard(TRIGGER_SHARER_GONE, PRODUCER, ipc_never_opened, GRADE_WARNING);
}

static void never_opened_is_proved_with_torch_alone(void **state)
{
	(void)state;
	export_as(PRODUCER, A, MPSAN_MEMORY_DEVICE, MPSAN_IPC_TORCH);
	pass(CUDA_GRACE_NS);
	finish();
	assert_heard(TRIGGER_SHARER_GONE, PRODUCER, ipc_never_opened, GRADE_ERROR);
	facts.blind = true; /* somebody who was not watched may have opened it */
	assert_heard(TRIGGER_SHARER_GONE, PRODUCER, ipc_never_opened, GRADE_NOTE);
}

static void never_opened_fires_as_a_note_for_what_was_under_way(void **state)
{
	(void)state;
	export_as(PRODUCER, A, MPSAN_MEMORY_DEVICE, MPSAN_IPC_TORCH);
	leave(PRODUCER);
	assert_heard(TRIGGER_SHARER_GONE, PRODUCER, ipc_never_opened, GRADE_NOTE);
}

static void never_opened_is_silent_when_it_was_opened_freed_or_automatic(void **state)
{
	(void)state;
	lend(PRODUCER, A);
	OPEN(CONSUMER, A, 0);
	lend(PRODUCER, B);
	release(PRODUCER, B);
	OPEN_FOUND(OTHER, 0xc1, 400);
	pass(CUDA_GRACE_NS);
	leave(PRODUCER);
	assert_heard(TRIGGER_SHARER_GONE, PRODUCER, ipc_never_opened, GRADE_OFF);
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(never_opened_warns),
		STORY(never_opened_is_proved_with_torch_alone),
		STORY(never_opened_fires_as_a_note_for_what_was_under_way),
		STORY(never_opened_is_silent_when_it_was_opened_freed_or_automatic),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
