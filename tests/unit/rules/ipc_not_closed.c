/* Stories of ipc-not-closed. Neighbours: story_cuda.h, tools/rules/ipc/ipc_not_closed.c. */
#include "story_cuda.h"

static void not_closed_warns(void **state)
{
	(void)state;
	lend(PRODUCER, A);
	OPEN(CONSUMER, A, 0);
	leave(CONSUMER);
	assert_heard(TRIGGER_SHARER_GONE, CONSUMER, ipc_not_closed, GRADE_WARNING);
}

static void not_closed_fires_as_a_note_with_torch(void **state)
{
	(void)state;
	lend(PRODUCER, A);
	OPEN(CONSUMER, A, 0, .flags = MPSAN_IPC_TORCH);
	leave(CONSUMER);
	assert_heard(TRIGGER_SHARER_GONE, CONSUMER, ipc_not_closed, GRADE_NOTE);
}

static void not_closed_is_silent_after_a_close_a_failure_or_a_kill(void **state)
{
	(void)state;
	lend(PRODUCER, A);
	lend(PRODUCER, B);
	OPEN(CONSUMER, A, 0);
	give_back(CONSUMER, A);
	OPEN(CONSUMER, B, 1);
	leave(CONSUMER);
	assert_heard(TRIGGER_SHARER_GONE, CONSUMER, ipc_not_closed, GRADE_OFF);
	OPEN(OTHER, A, 0);
	kill_it(OTHER, SIGKILL);
	assert_heard(TRIGGER_SHARER_GONE, OTHER, ipc_not_closed, GRADE_OFF);
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(not_closed_warns),
		STORY(not_closed_fires_as_a_note_with_torch),
		STORY(not_closed_is_silent_after_a_close_a_failure_or_a_kill),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
