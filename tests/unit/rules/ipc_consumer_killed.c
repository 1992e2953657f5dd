/*
 * Stories of ipc-consumer-killed.
 * Neighbours: story_cuda.h, tools/rules/ipc/ipc_consumer_killed.c.
 */
#include "story_cuda.h"

/* By PyTorch, which keeps it until every consumer has said that it is done. */
static uint32_t lend_counted(uint32_t by, uint64_t handle)
{
	return export_as(by, handle, MPSAN_MEMORY_DEVICE, MPSAN_IPC_TORCH);
}

static void consumer_killed_warns_of_the_death(void **state)
{
	(void)state;
	lend_counted(PRODUCER, A);
	OPEN(CONSUMER, A, 0);
	kill_it(CONSUMER, SIGKILL);
	pass(CUDA_GRACE_NS);
	assert_heard(TRIGGER_SHARER_GONE, CONSUMER, ipc_consumer_killed, GRADE_WARNING);
}

static void consumer_killed_is_proved_when_its_producer_ends(void **state)
{
	(void)state;
	lend_counted(PRODUCER, A);
	OPEN(CONSUMER, A, 0);
	kill_it(CONSUMER, SIGKILL);
	pass(CUDA_GRACE_NS);
	leave(PRODUCER);
	assert_heard(TRIGGER_SHARER_GONE, PRODUCER, ipc_consumer_killed, GRADE_ERROR);
}

static void consumer_killed_is_proved_when_the_session_ends(void **state)
{
	(void)state;
	lend_counted(PRODUCER, A);
	OPEN(CONSUMER, A, 0);
	kill_it(CONSUMER, SIGSEGV);
	pass(CUDA_GRACE_NS);
	finish();
	assert_heard(TRIGGER_SHARER_GONE, PRODUCER, ipc_consumer_killed, GRADE_ERROR);
}

static void consumer_killed_fires_as_a_note_at_a_common_shutdown(void **state)
{
	(void)state;
	lend_counted(PRODUCER, A);
	OPEN(CONSUMER, A, 0);
	kill_it(CONSUMER, SIGTERM);
	leave(PRODUCER);
	pass(CUDA_GRACE_NS);
	assert_heard(TRIGGER_SHARER_GONE, CONSUMER, ipc_consumer_killed, GRADE_NOTE);
	assert_heard(TRIGGER_SHARER_GONE, PRODUCER, ipc_consumer_killed, GRADE_OFF);
}

static void consumer_killed_fires_as_a_note_when_all_are_aborted(void **state)
{
	(void)state;
	lend_counted(PRODUCER, A);
	OPEN(CONSUMER, A, 0);
	kill_it(CONSUMER, SIGABRT);
	kill_it(PRODUCER, SIGABRT);
	pass(CUDA_GRACE_NS);
	assert_heard(TRIGGER_SHARER_GONE, CONSUMER, ipc_consumer_killed, GRADE_NOTE);
	slots[PRODUCER].end_value = SIGSEGV;
	assert_heard(TRIGGER_SHARER_GONE, CONSUMER, ipc_consumer_killed, GRADE_WARNING);
}

static void consumer_killed_is_silent_about_one_that_became_another_program(void **state)
{
	(void)state;
	lend_counted(PRODUCER, A);
	OPEN(CONSUMER, A, 0);
	end_process(CONSUMER, MPSAN_END_NONE, 0);
	assert_heard(TRIGGER_SHARER_GONE, CONSUMER, ipc_consumer_killed, GRADE_WARNING);
	slots[CONSUMER].exec_ns = clock_now - 1;
	assert_heard(TRIGGER_SHARER_GONE, CONSUMER, ipc_consumer_killed, GRADE_OFF);
	assert_heard(TRIGGER_SHARER_GONE, CONSUMER, ipc_not_closed, GRADE_WARNING);
}

static void consumer_killed_warns_only_when_it_was_asked_to_end(void **state)
{
	(void)state;
	lend_counted(PRODUCER, A);
	OPEN(CONSUMER, A, 0);
	kill_it(CONSUMER, SIGTERM);
	pass(CUDA_GRACE_NS);
	assert_heard(TRIGGER_SHARER_GONE, CONSUMER, ipc_consumer_killed, GRADE_WARNING);
	leave(PRODUCER);
	assert_heard(TRIGGER_SHARER_GONE, PRODUCER, ipc_consumer_killed, GRADE_OFF);
}

static void consumer_killed_warns_only_when_nobody_counts(void **state)
{
	(void)state;
	lend(PRODUCER, A);
	OPEN(CONSUMER, A, 0);
	kill_it(CONSUMER, SIGKILL);
	pass(CUDA_GRACE_NS);
	assert_heard(TRIGGER_SHARER_GONE, CONSUMER, ipc_consumer_killed, GRADE_WARNING);
	leave(PRODUCER);
	assert_heard(TRIGGER_SHARER_GONE, PRODUCER, ipc_consumer_killed, GRADE_OFF);
}

static void consumer_killed_warns_only_when_another_takes_over(void **state)
{
	(void)state;
	lend_counted(PRODUCER, A);
	OPEN(CONSUMER, A, 0);
	kill_it(CONSUMER, SIGKILL);
	OPEN(OTHER, A, 0); /* started again, it opens the same memory */
	give_back(OTHER, A);
	pass(CUDA_GRACE_NS);
	assert_heard(TRIGGER_SHARER_GONE, CONSUMER, ipc_consumer_killed, GRADE_WARNING);
	leave(PRODUCER);
	assert_heard(TRIGGER_SHARER_GONE, PRODUCER, ipc_consumer_killed, GRADE_OFF);
}

static void consumer_killed_is_silent_when_it_had_closed(void **state)
{
	(void)state;
	lend_counted(PRODUCER, A);
	OPEN(CONSUMER, A, 0);
	give_back(CONSUMER, A);
	kill_it(CONSUMER, SIGKILL);
	pass(CUDA_GRACE_NS);
	assert_heard(TRIGGER_SHARER_GONE, CONSUMER, ipc_consumer_killed, GRADE_OFF);
	leave(PRODUCER);
	assert_heard(TRIGGER_SHARER_GONE, PRODUCER, ipc_consumer_killed, GRADE_OFF);
}

static void consumer_killed_is_silent_about_an_orderly_end(void **state)
{
	(void)state;
	lend_counted(PRODUCER, A);
	OPEN(CONSUMER, A, 0);
	leave(CONSUMER);
	pass(CUDA_GRACE_NS);
	assert_heard(TRIGGER_SHARER_GONE, CONSUMER, ipc_consumer_killed, GRADE_OFF);
	leave(PRODUCER);
	assert_heard(TRIGGER_SHARER_GONE, PRODUCER, ipc_consumer_killed, GRADE_OFF);
}

/* Whether the program runs on, or is judged later: only what was freed soon after is no matter. */
static void consumer_killed_warns_whatever_came_later(void **state)
{
	(void)state;
	lend_counted(PRODUCER, A);
	OPEN(CONSUMER, A, 0);
	kill_it(CONSUMER, SIGKILL);
	pass(CUDA_GRACE_NS);
	assert_heard(TRIGGER_SHARER_GONE, CONSUMER, ipc_consumer_killed, GRADE_WARNING);
	release(PRODUCER, A);
	assert_heard(TRIGGER_SHARER_GONE, CONSUMER, ipc_consumer_killed, GRADE_WARNING);
}

static void consumer_killed_is_silent_when_the_memory_was_freed_at_once(void **state)
{
	(void)state;
	lend_counted(PRODUCER, A);
	OPEN(CONSUMER, A, 0);
	kill_it(CONSUMER, SIGKILL);
	release(PRODUCER, A);
	assert_heard(TRIGGER_SHARER_GONE, CONSUMER, ipc_consumer_killed, GRADE_OFF);
}

static void consumer_killed_is_silent_when_the_memory_was_freed(void **state)
{
	(void)state;
	lend_counted(PRODUCER, A);
	OPEN(CONSUMER, A, 0);
	kill_it(CONSUMER, SIGKILL);
	pass(CUDA_GRACE_NS);
	release(PRODUCER, A);
	leave(PRODUCER);
	assert_heard(TRIGGER_SHARER_GONE, PRODUCER, ipc_consumer_killed, GRADE_OFF);
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(consumer_killed_warns_of_the_death),
		STORY(consumer_killed_is_proved_when_its_producer_ends),
		STORY(consumer_killed_is_proved_when_the_session_ends),
		STORY(consumer_killed_fires_as_a_note_at_a_common_shutdown),
		STORY(consumer_killed_fires_as_a_note_when_all_are_aborted),
		STORY(consumer_killed_is_silent_about_one_that_became_another_program),
		STORY(consumer_killed_warns_only_when_it_was_asked_to_end),
		STORY(consumer_killed_warns_only_when_nobody_counts),
		STORY(consumer_killed_warns_only_when_another_takes_over),
		STORY(consumer_killed_is_silent_when_it_had_closed),
		STORY(consumer_killed_is_silent_about_an_orderly_end),
		STORY(consumer_killed_warns_whatever_came_later),
		STORY(consumer_killed_is_silent_when_the_memory_was_freed_at_once),
		STORY(consumer_killed_is_silent_when_the_memory_was_freed),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
