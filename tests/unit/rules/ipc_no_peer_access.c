/* Stories of ipc-no-peer-access. Neighbours: story_cuda.h, tools/rules/ipc/ipc_no_peer_access.c. */
#include "story_cuda.h"

static void no_peer_access_warns(void **state)
{
	(void)state;
	lend(PRODUCER, A);
	assert_heard(TRIGGER_IPC_OPEN, OPEN(CONSUMER, A, 0, .flags = MPSAN_IPC_NO_PEER),
		     ipc_no_peer_access, GRADE_WARNING);
}

static void no_peer_access_is_silent_where_devices_reach_each_other(void **state)
{
	(void)state;
	lend(PRODUCER, A);
	assert_heard(TRIGGER_IPC_OPEN, OPEN(CONSUMER, A, 0, .device = 1), ipc_no_peer_access,
		     GRADE_OFF);
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(no_peer_access_warns),
		STORY(no_peer_access_is_silent_where_devices_reach_each_other),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
