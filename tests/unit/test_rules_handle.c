/*
 * Stories about single exports and opens of device memory. Neighbours: story_cuda.h,
 * ../../shim/rules/ipc_*.c; test_rules_ipc.c has those about its life.
 */
#include "story_cuda.h"

#define A 0xa1ull /* handles */
#define B 0xb1ull

static void reexported_is_proved(void **state)
{
	struct trigger trigger = {TRIGGER_EXPORT, 1};
	struct verdict verdict = {.sink = {verdict_add}};

	(void)state;
	lend(PRODUCER, A);
	OPEN(CONSUMER, A, 0);
	export_as(CONSUMER, B, MPSAN_MEMORY_DEVICE, MPSAN_IPC_IMPORTED);
	exports[1].ev.base = (A << 24) + MIB; /* somewhere in it */
	rules_run(&facts, &trigger, &verdict.sink);
	assert_int_equal(grade_of(&verdict, RULE_ipc_reexported), GRADE_ERROR);
	assert_int_equal(verdict.last[0].piece, 1);
	assert_int_equal(verdict.last[0].import, 1);
}

static void reexported_is_proved_by_a_refusal(void **state)
{
	(void)state;
	lend(PRODUCER, A);
	OPEN(CONSUMER, A, 0);
	assert_heard(TRIGGER_REFUSED,
		     refuse(CONSUMER, MPSAN_CAUSE_UNKNOWN, MPSAN_MEMORY_IMPORTED, A << 24, 0),
		     ipc_reexported, GRADE_ERROR);
	assert_heard(TRIGGER_REFUSED, 0, ipc_unsupported_memory, GRADE_OFF);
}

static void reexported_is_a_note_where_descriptors_keep_the_memory(void **state)
{
	(void)state;
	assert_heard(TRIGGER_EXPORT, export_as(CONSUMER, A, MPSAN_MEMORY_VMM, MPSAN_IPC_IMPORTED),
		     ipc_reexported, GRADE_NOTE);
}

static void reexported_is_silent_about_own_memory(void **state)
{
	(void)state;
	lend(PRODUCER, A);
	assert_heard(TRIGGER_EXPORT, lend(PRODUCER, A), ipc_reexported, GRADE_OFF);
}

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

static void double_open_is_proved_by_its_failure(void **state)
{
	(void)state;
	lend(PRODUCER, A);
	OPEN(CONSUMER, A, 0);
	assert_heard(TRIGGER_IPC_OPEN, OPEN(CONSUMER, A, 208, .flags = MPSAN_IPC_AGAIN),
		     ipc_double_open, GRADE_ERROR);
}

static void double_open_warns_when_it_succeeds(void **state)
{
	(void)state;
	lend(PRODUCER, A);
	OPEN(CONSUMER, A, 0);
	assert_heard(TRIGGER_IPC_OPEN, OPEN(CONSUMER, A, 0), ipc_double_open, GRADE_WARNING);
}

static void double_open_is_silent_after_a_close_and_where_somebody_counts(void **state)
{
	(void)state;
	lend(PRODUCER, A);
	OPEN(CONSUMER, A, 0);
	give_back(CONSUMER, A);
	assert_heard(TRIGGER_IPC_OPEN, OPEN(CONSUMER, A, 0), ipc_double_open, GRADE_OFF);
	assert_heard(TRIGGER_IPC_OPEN, OPEN(OTHER, A, 0), ipc_double_open, GRADE_OFF);
	assert_heard(TRIGGER_IPC_OPEN, OPEN(CONSUMER, A, 0, .flags = MPSAN_IPC_TORCH),
		     ipc_double_open, GRADE_OFF);
	export_as(PRODUCER, B, MPSAN_MEMORY_VMM, 0);
	OPEN(CONSUMER, B, 0, .memory = MPSAN_MEMORY_VMM);
	assert_heard(TRIGGER_IPC_OPEN, OPEN(CONSUMER, B, 0, .memory = MPSAN_MEMORY_VMM),
		     ipc_double_open, GRADE_OFF);
}

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
		STORY(reexported_is_proved),
		STORY(reexported_is_proved_by_a_refusal),
		STORY(reexported_is_a_note_where_descriptors_keep_the_memory),
		STORY(reexported_is_silent_about_own_memory),
		STORY(self_open_is_proved_by_its_failure),
		STORY(self_open_is_silent_about_others_and_about_descriptors),
		STORY(double_open_is_proved_by_its_failure),
		STORY(double_open_warns_when_it_succeeds),
		STORY(double_open_is_silent_after_a_close_and_where_somebody_counts),
		STORY(same_device_fires),
		STORY(same_device_is_silent_about_two_devices_and_unknown_ones),
		STORY(unsupported_memory_is_proved_when_the_kernel_refuses),
		STORY(unsupported_memory_warns_when_the_driver_does),
		STORY(unsupported_memory_is_silent_about_other_failures),
		STORY(limits_fires_once_as_events_double),
		STORY(limits_warns_when_torch_waits_for_consumers),
		STORY(limits_is_silent_when_consumers_keep_up),
		STORY(no_peer_access_warns),
		STORY(no_peer_access_is_silent_where_devices_reach_each_other),
		STORY(unsynchronized_fires),
		STORY(unsynchronized_is_silent_after_work_an_event_or_with_torch),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
