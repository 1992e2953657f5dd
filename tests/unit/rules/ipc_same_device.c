/* Stories of ipc-same-device. Neighbours: story_cuda.h, tools/rules/ipc/ipc_same_device.c. */
#include "story_cuda.h"

static void same_device_fires(void **state)
{
	(void)state;
	lend(PRODUCER, A);
	assert_heard(TRIGGER_IPC_OPEN, OPEN(CONSUMER, A, 0, .gpu = GPU), ipc_same_device,
		     GRADE_NOTE);
}

static void same_device_is_silent_about_two_devices_and_unknown_ones(void **state)
{
	(void)state;
	lend(PRODUCER, A);
	assert_heard(TRIGGER_IPC_OPEN, OPEN(CONSUMER, A, 0, .gpu = GPU + 1), ipc_same_device,
		     GRADE_OFF);
	assert_heard(TRIGGER_IPC_OPEN, OPEN(OTHER, A, 0), ipc_same_device, GRADE_OFF);
	assert_heard(TRIGGER_IPC_OPEN, OPEN(BYSTANDER, A, 0, .gpu = GPU, .flags = MPSAN_IPC_AUTO),
		     ipc_same_device, GRADE_OFF);
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(same_device_fires),
		STORY(same_device_is_silent_about_two_devices_and_unknown_ones),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
