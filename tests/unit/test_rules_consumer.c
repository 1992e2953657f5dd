/*
 * Stories about who has device memory of another process: killed with it, never come for it, holding
 * it long, leaving without a close. Neighbours: story_cuda.h, ../../shim/rules/ipc_*.c;
 * test_rules_ipc.c has those about the owner.
 */
#include "story_cuda.h"

#define A 0xa1ull /* handles */
#define B 0xb1ull

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

static void held_long_fires_for_the_worst(void **state)
{
	struct trigger trigger = {TRIGGER_SHARING_OVER, 0};
	struct verdict verdict = {.sink = {verdict_add}};

	(void)state;
	lend(PRODUCER, A);
	lend(PRODUCER, B);
	OPEN(CONSUMER, A, 0);
	pass(SECOND);
	OPEN(OTHER, B, 0);
	pass(CUDA_HELD_LONG_NS);
	give_back(OTHER, B);
	finish();
	facts.now_ns = clock_now;
	rules_run(&facts, &trigger, &verdict.sink);
	assert_int_equal(grade_of(&verdict, RULE_ipc_held_long), GRADE_NOTE);
	assert_int_equal(verdict.last[0].import, 1);
}

static void held_long_is_silent_about_short_use(void **state)
{
	(void)state;
	lend(PRODUCER, A);
	OPEN(CONSUMER, A, 0);
	give_back(CONSUMER, A);
	pass(CUDA_HELD_LONG_NS);
	finish();
	assert_heard(TRIGGER_SHARING_OVER, 0, ipc_held_long, GRADE_OFF);
}

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
		STORY(never_opened_warns),
		STORY(never_opened_is_proved_with_torch_alone),
		STORY(never_opened_fires_as_a_note_for_what_was_under_way),
		STORY(never_opened_is_silent_when_it_was_opened_freed_or_automatic),
		STORY(held_long_fires_for_the_worst),
		STORY(held_long_is_silent_about_short_use),
		STORY(not_closed_warns),
		STORY(not_closed_fires_as_a_note_with_torch),
		STORY(not_closed_is_silent_after_a_close_a_failure_or_a_kill),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
