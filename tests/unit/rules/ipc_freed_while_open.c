/*
 * Stories of ipc-freed-while-open.
 * Neighbours: story_cuda.h, tools/rules/ipc/ipc_freed_while_open.c.
 */
#include "story_cuda.h"

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
	kill_it(CONSUMER, SIGKILL);
	processes[CONSUMER].seen_ns = 0; /* it may have ended long before that was noticed */
	processes[CONSUMER].gone_ns += SECOND;
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
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
