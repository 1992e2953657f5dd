/* Stories of ipc-limits. Neighbours: story_cuda.h, tools/rules/ipc/ipc_limits.c. */
#include "story_cuda.h"

static void limits_fires_once_as_events_double(void **state)
{
	(void)state;
	for (uint32_t made = 1; made < 4096; made *= 2)
		assert_heard(TRIGGER_IPC_EVENT, make_event(PRODUCER, made), ipc_limits,
			     made == 1024 ? GRADE_NOTE : GRADE_OFF);
}

static void limits_warns_when_torch_waits_for_consumers(void **state)
{
	(void)state;
	parties[PRODUCER].waiting = CUDA_WAITING_MAX - 1;
	assert_heard(TRIGGER_EXPORT, export_as(PRODUCER, A, MPSAN_MEMORY_DEVICE, MPSAN_IPC_TORCH),
		     ipc_limits, GRADE_WARNING);
}

static void limits_is_silent_when_consumers_keep_up(void **state)
{
	(void)state;
	parties[PRODUCER].waiting = CUDA_WAITING_MAX - 1;
	lend(PRODUCER, A);
	OPEN(CONSUMER, A, 0);
	assert_int_equal(parties[PRODUCER].waiting, CUDA_WAITING_MAX - 1);
	lend(PRODUCER, B);
	release(PRODUCER, B);
	assert_int_equal(parties[PRODUCER].waiting, CUDA_WAITING_MAX - 1);
	assert_heard(TRIGGER_EXPORT, lend(OTHER, 0xc1), ipc_limits, GRADE_OFF);
	assert_heard(TRIGGER_IPC_EVENT, make_event(PRODUCER, 512), ipc_limits, GRADE_OFF);
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(limits_fires_once_as_events_double),
		STORY(limits_warns_when_torch_waits_for_consumers),
		STORY(limits_is_silent_when_consumers_keep_up),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
