/*
 * Stories of ipc-unsupported-memory.
 * Neighbours: story_cuda.h, tools/rules/ipc/ipc_unsupported_memory.c.
 */
#include "story_cuda.h"

static void unsupported_memory_is_proved_when_the_kernel_refuses(void **state)
{
	static const enum mpsan_ipc_cause causes[] = {MPSAN_CAUSE_YAMA, MPSAN_CAUSE_USER,
						      MPSAN_CAUSE_CAPABILITY, MPSAN_CAUSE_CLOSED};

	(void)state;
	for (unsigned i = 0; i < sizeof(causes) / sizeof(*causes); i++)
		assert_heard(TRIGGER_REFUSED, refuse(CONSUMER, causes[i], MPSAN_MEMORY_VMM, 0, 100),
			     ipc_unsupported_memory, GRADE_ERROR);
}

static void unsupported_memory_warns_when_the_driver_does(void **state)
{
	(void)state;
	assert_heard(TRIGGER_REFUSED,
		     refuse(PRODUCER, MPSAN_CAUSE_MEMORY, MPSAN_MEMORY_MANAGED, 0x1000, 0),
		     ipc_unsupported_memory, GRADE_WARNING);
	assert_heard(TRIGGER_REFUSED,
		     refuse(CONSUMER, MPSAN_CAUSE_UNKNOWN, MPSAN_MEMORY_VMM, 0, 100),
		     ipc_unsupported_memory, GRADE_WARNING);
}

static void unsupported_memory_is_silent_about_other_failures(void **state)
{
	(void)state;
	assert_heard(TRIGGER_REFUSED,
		     refuse(PRODUCER, MPSAN_CAUSE_UNKNOWN, MPSAN_MEMORY_UNKNOWN, 0x1000, 0),
		     ipc_unsupported_memory, GRADE_OFF);
	assert_heard(TRIGGER_REFUSED, refuse(CONSUMER, MPSAN_CAUSE_GONE, MPSAN_MEMORY_VMM, 0, 100),
		     ipc_unsupported_memory, GRADE_OFF);
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(unsupported_memory_is_proved_when_the_kernel_refuses),
		STORY(unsupported_memory_warns_when_the_driver_does),
		STORY(unsupported_memory_is_silent_about_other_failures),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
