/*
 * Stories of ipc-producer-exited.
 * Neighbours: story_cuda.h, tools/rules/ipc/ipc_producer_exited.c.
 */
#include "story_cuda.h"

static void producer_exited_is_proved_when_a_consumer_goes_on(void **state)
{
	(void)state;
	lend(PRODUCER, A);
	OPEN(CONSUMER, A, 0);
	leave(PRODUCER);
	pass(CUDA_GRACE_NS);
	assert_heard(TRIGGER_SHARER_GONE, PRODUCER, ipc_producer_exited, GRADE_ERROR);
	leave(CONSUMER);
	assert_heard(TRIGGER_SHARER_GONE, CONSUMER, ipc_not_closed, GRADE_OFF);
}

static void producer_exited_is_proved_by_an_open_that_comes_too_late(void **state)
{
	(void)state;
	lend(PRODUCER, A);
	kill_it(PRODUCER, SIGSEGV);
	assert_heard(TRIGGER_IPC_OPEN, OPEN(CONSUMER, A, 400), ipc_producer_exited, GRADE_ERROR);
	assert_heard(TRIGGER_REFUSED,
		     refuse(CONSUMER, MPSAN_CAUSE_GONE, MPSAN_MEMORY_VMM, 0, slots[PRODUCER].pid),
		     ipc_producer_exited, GRADE_ERROR);
}

static void producer_exited_warns_when_all_end_in_the_same_second(void **state)
{
	(void)state;
	lend(PRODUCER, A);
	OPEN(CONSUMER, A, 0);
	OPEN(OTHER, A, 0);
	leave(PRODUCER);
	leave(CONSUMER);
	give_back(OTHER, A);
	pass(CUDA_GRACE_NS);
	assert_heard(TRIGGER_SHARER_GONE, PRODUCER, ipc_producer_exited, GRADE_WARNING);
}

static void producer_exited_warns_when_the_session_ends_too_soon_to_tell(void **state)
{
	(void)state;
	lend(PRODUCER, A);
	OPEN(CONSUMER, A, 0);
	leave(PRODUCER);
	finish();
	assert_heard(TRIGGER_SHARER_GONE, PRODUCER, ipc_producer_exited, GRADE_WARNING);
}

static void producer_exited_fires_as_a_note_for_memory_that_outlives_it(void **state)
{
	(void)state;
	export_as(PRODUCER, A, MPSAN_MEMORY_VMM, 0);
	OPEN(CONSUMER, A, 0, .memory = MPSAN_MEMORY_VMM);
	leave(PRODUCER);
	pass(CUDA_GRACE_NS);
	assert_heard(TRIGGER_SHARER_GONE, PRODUCER, ipc_producer_exited, GRADE_NOTE);
}

static void producer_exited_is_silent_when_consumers_are_done(void **state)
{
	(void)state;
	lend(PRODUCER, A);
	lend(PRODUCER, B);
	OPEN(CONSUMER, A, 0);
	OPEN(OTHER, B, 0);
	give_back(CONSUMER, A);
	leave(OTHER);
	leave(PRODUCER);
	pass(CUDA_GRACE_NS);
	assert_heard(TRIGGER_SHARER_GONE, PRODUCER, ipc_producer_exited, GRADE_OFF);
}

static void producer_exited_is_silent_about_one_that_lives_to_the_end(void **state)
{
	(void)state;
	lend(PRODUCER, A);
	OPEN(CONSUMER, A, 0);
	pass(10 * SECOND);
	finish();
	assert_heard(TRIGGER_SHARER_GONE, PRODUCER, ipc_producer_exited, GRADE_OFF);
	assert_heard(TRIGGER_SHARER_GONE, CONSUMER, ipc_not_closed, GRADE_OFF);
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(producer_exited_is_proved_when_a_consumer_goes_on),
		STORY(producer_exited_is_proved_by_an_open_that_comes_too_late),
		STORY(producer_exited_warns_when_all_end_in_the_same_second),
		STORY(producer_exited_warns_when_the_session_ends_too_soon_to_tell),
		STORY(producer_exited_fires_as_a_note_for_memory_that_outlives_it),
		STORY(producer_exited_is_silent_when_consumers_are_done),
		STORY(producer_exited_is_silent_about_one_that_lives_to_the_end),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
