/*
 * Stories about the life of device memory that several processes have. Neighbours: story_cuda.h,
 * ../../shim/rules/ipc_*.c; test_rules_consumer.c has what becomes of consumers,
 * test_rules_handle.c single calls.
 */
#include "story_cuda.h"

#define A 0xa1ull /* handles */
#define B 0xb1ull

static void freed_while_open_is_proved(void **state)
{
	(void)state;
	lend(PRODUCER, A);
	OPEN(CONSUMER, A, 0);
	assert_heard(TRIGGER_FREE, release(PRODUCER, A), ipc_freed_while_open, GRADE_ERROR);
}

static void freed_while_open_is_proved_by_an_open_that_comes_too_late(void **state)
{
	(void)state;
	lend(PRODUCER, A);
	assert_heard(TRIGGER_FREE, release(PRODUCER, A), ipc_freed_while_open, GRADE_WARNING);
	assert_heard(TRIGGER_IPC_OPEN, OPEN(CONSUMER, A, 400), ipc_freed_while_open, GRADE_ERROR);
}

/* The handle was made where the consumer saw it: the export began before the open, and was stated after the close. */
static void freed_while_open_knows_an_open_before_its_export(void **state)
{
	uint64_t begun = clock_now, now;

	(void)state;
	OPEN(CONSUMER, A, 0);
	give_back(CONSUMER, A);
	now = clock_now;
	clock_now = begun - TENTH;
	lend(PRODUCER, A);
	clock_now = now;
	assert_heard(TRIGGER_FREE, release(PRODUCER, A), ipc_freed_while_open, GRADE_OFF);
}

/* A handle of before, that the producer did not export, is not this memory. */
static void freed_while_open_knows_no_open_from_before_the_call(void **state)
{
	(void)state;
	OPEN(CONSUMER, A, 0);
	lend(PRODUCER, A);
	assert_heard(TRIGGER_FREE, release(PRODUCER, A), ipc_freed_while_open, GRADE_WARNING);
}

static void freed_while_open_fires_as_a_note_for_memory_that_outlives_its_owner(void **state)
{
	(void)state;
	export_as(PRODUCER, A, MPSAN_MEMORY_VMM, 0);
	OPEN(CONSUMER, A, 0, .memory = MPSAN_MEMORY_VMM);
	assert_heard(TRIGGER_FREE, release(PRODUCER, A), ipc_freed_while_open, GRADE_NOTE);
}

static void freed_while_open_is_silent_after_the_close(void **state)
{
	(void)state;
	lend(PRODUCER, A);
	OPEN(CONSUMER, A, 0);
	OPEN(OTHER, A, 0);
	give_back(CONSUMER, A);
	give_back(OTHER, A);
	assert_heard(TRIGGER_FREE, release(PRODUCER, A), ipc_freed_while_open, GRADE_OFF);
}

static void freed_while_open_is_silent_about_consumers_that_have_ended(void **state)
{
	(void)state;
	lend(PRODUCER, A);
	OPEN(CONSUMER, A, 0);
	leave(CONSUMER);
	assert_heard(TRIGGER_FREE, release(PRODUCER, A), ipc_freed_while_open, GRADE_OFF);
}

/* Its death is seen by the supervisor some time after it happened. */
static void freed_while_open_is_silent_about_one_that_may_have_been_dead(void **state)
{
	uint32_t free;

	(void)state;
	lend(PRODUCER, A);
	OPEN(CONSUMER, A, 0);
	free = release(PRODUCER, A);
	processes[CONSUMER].seen_ns = frees[free].at.time_ns - 1; /* its end has begun since */
	assert_heard(TRIGGER_FREE, free, ipc_freed_while_open, GRADE_OFF);
	processes[CONSUMER].seen_ns = frees[free].at.time_ns + 1;
	assert_heard(TRIGGER_FREE, free, ipc_freed_while_open, GRADE_ERROR);
	processes[CONSUMER].seen_ns = 0;
	kill_it(CONSUMER, SIGKILL);
	assert_heard(TRIGGER_FREE, free, ipc_freed_while_open, GRADE_OFF);
	processes[CONSUMER].gone_ns += SECOND;
	assert_heard(TRIGGER_FREE, free, ipc_freed_while_open, GRADE_ERROR);
	facts.followed = false; /* without a supervisor nobody knows when it died */
	assert_heard(TRIGGER_FREE, free, ipc_freed_while_open, GRADE_OFF);
	processes[CONSUMER].seen_ns = frees[free].at.time_ns - 1;
	assert_heard(TRIGGER_FREE, free, ipc_freed_while_open, GRADE_OFF);
	processes[CONSUMER].seen_ns = frees[free].at.time_ns + 1;
	assert_heard(TRIGGER_FREE, free, ipc_freed_while_open, GRADE_ERROR);
}

/* Its log was full, so it may have closed what it opened. */
static void freed_while_open_is_silent_about_one_whose_closes_may_be_lost(void **state)
{
	uint32_t free;

	(void)state;
	lend(PRODUCER, A);
	OPEN(CONSUMER, A, 0);
	processes[CONSUMER].lossy = true;
	free = release(PRODUCER, A);
	assert_heard(TRIGGER_FREE, free, ipc_freed_while_open, GRADE_OFF);
	give_back(CONSUMER, A); /* that one was kept: it came too late */
	assert_heard(TRIGGER_FREE, free, ipc_freed_while_open, GRADE_ERROR);
}

/* The same handle means new memory after a free; each open belongs to the memory of its time. */
static void freed_while_open_is_silent_about_a_handle_that_is_used_again(void **state)
{
	(void)state;
	for (int life = 0; life < 5; life++) {
		lend(PRODUCER, A);
		OPEN(CONSUMER, A, 0);
		give_back(CONSUMER, A);
		assert_heard(TRIGGER_FREE, release(PRODUCER, A), ipc_freed_while_open, GRADE_OFF);
	}
	lend(OTHER, A);
	OPEN(CONSUMER, A, 0);
	assert_heard(TRIGGER_FREE, 4, ipc_freed_while_open, GRADE_OFF);
	assert_heard(TRIGGER_FREE, release(OTHER, A), ipc_freed_while_open, GRADE_ERROR);
}

static void freed_while_open_is_silent_about_other_memory_without_an_address(void **state)
{
	(void)state;
	export_as(PRODUCER, A, MPSAN_MEMORY_VMM, 0);
	export_as(PRODUCER, B, MPSAN_MEMORY_VMM, 0);
	OPEN(CONSUMER, A, 0, .memory = MPSAN_MEMORY_VMM);
	frees[facts.cuda.free_count++] =
		(struct ipc_free){.at = next_place(PRODUCER), .ev = {.handle = B}};
	cuda_enter_free(&facts.cuda);
	assert_heard(TRIGGER_FREE, 0, ipc_freed_while_open, GRADE_OFF);
	assert_int_equal(pieces[0].end_ns, 0);
	assert_int_not_equal(pieces[1].end_ns, 0);
}

/*
 * A free is stated after it happened: another thread has its address by then, and exported what it
 * made there.
 */
static void freed_while_open_is_silent_about_an_address_that_was_given_anew(void **state)
{
	(void)state;
	lend(PRODUCER, A);
	lend(PRODUCER, B);
	OPEN(CONSUMER, B, 0);
	frees[facts.cuda.free_count++] =
		(struct ipc_free){.at = next_place(PRODUCER), .ev = {.handle = A, .base = B << 24}};
	cuda_enter_free(&facts.cuda);
	assert_int_not_equal(pieces[0].end_ns, 0);
	assert_int_equal(pieces[1].end_ns, 0);
	assert_heard(TRIGGER_FREE, release(PRODUCER, B), ipc_freed_while_open, GRADE_ERROR);
}

static void freed_while_open_is_proved_of_memory_that_the_library_exported(void **state)
{
	(void)state;
	OPEN_FOUND(CONSUMER, A, 0);
	assert_heard(TRIGGER_FREE, release(PRODUCER, A), ipc_freed_while_open, GRADE_ERROR);
}

/* One segment, many tensors: the handle is asked for and opened often, and nothing is freed. */
static void allocator_is_silent(void **state)
{
	uint32_t i;

	(void)state;
	for (i = 0; i < 6; i++) {
		uint32_t export = export_as(PRODUCER, A, MPSAN_MEMORY_DEVICE, MPSAN_IPC_TORCH);
		uint32_t import = OPEN(CONSUMER, A, 0, .flags = MPSAN_IPC_TORCH);

		for (enum rule_id rule = 0; rule < RULE_COUNT; rule++) {
			assert_true(hear(TRIGGER_EXPORT, export, rule) < GRADE_WARNING);
			assert_true(hear(TRIGGER_IPC_OPEN, import, rule) < GRADE_WARNING);
		}
		if (i % 2)
			give_back(CONSUMER, A);
	}
	assert_int_equal(facts.cuda.piece_count, 1);
	give_back(CONSUMER, A);
	give_back(CONSUMER, A);
	leave(CONSUMER); /* with one left open, which its cache keeps */
	leave(PRODUCER);
	for (enum rule_id rule = 0; rule < RULE_COUNT; rule++) {
		assert_true(hear(TRIGGER_SHARER_GONE, CONSUMER, rule) < GRADE_WARNING);
		assert_true(hear(TRIGGER_SHARER_GONE, PRODUCER, rule) < GRADE_WARNING);
	}
}

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
		STORY(freed_while_open_is_proved),
		STORY(freed_while_open_is_proved_by_an_open_that_comes_too_late),
		STORY(freed_while_open_knows_an_open_before_its_export),
		STORY(freed_while_open_knows_no_open_from_before_the_call),
		STORY(freed_while_open_fires_as_a_note_for_memory_that_outlives_its_owner),
		STORY(freed_while_open_is_silent_after_the_close),
		STORY(freed_while_open_is_silent_about_consumers_that_have_ended),
		STORY(freed_while_open_is_silent_about_one_that_may_have_been_dead),
		STORY(freed_while_open_is_silent_about_one_whose_closes_may_be_lost),
		STORY(freed_while_open_is_silent_about_a_handle_that_is_used_again),
		STORY(freed_while_open_is_silent_about_other_memory_without_an_address),
		STORY(freed_while_open_is_silent_about_an_address_that_was_given_anew),
		STORY(freed_while_open_is_proved_of_memory_that_the_library_exported),
		STORY(allocator_is_silent),
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
