/* Stories of ipc-double-open. Neighbours: story_cuda.h, tools/rules/ipc/ipc_double_open.c. */
#include "story_cuda.h"

static void double_open_is_proved_by_its_failure(void **state)
{
	(void)state;
	lend(PRODUCER, A);
	OPEN(CONSUMER, A, 0);
	assert_heard(TRIGGER_IPC_OPEN, OPEN(CONSUMER, A, 208, .flags = MPSAN_IPC_AGAIN),
		     ipc_double_open, GRADE_ERROR);
}

/* The driver counts, and refuses an open that meets one of another thread. */
static void double_open_that_meets_another_is_a_race(void **state)
{
	uint64_t since;

	(void)state;
	lend(PRODUCER, A);
	since = clock_now;
	assert_heard(TRIGGER_IPC_OPEN, OPEN(CONSUMER, A, 208, .since = since), ipc_double_open,
		     GRADE_WARNING);
	OPEN(CONSUMER, A, 0, .since = since);
	assert_heard(TRIGGER_IPC_OPEN,
		     OPEN(CONSUMER, A, 208, .since = since, .flags = MPSAN_IPC_AGAIN),
		     ipc_double_open, GRADE_WARNING);
	assert_heard(TRIGGER_IPC_OPEN,
		     OPEN(CONSUMER, A, 208, .since = clock_now + 1, .flags = MPSAN_IPC_AGAIN),
		     ipc_double_open, GRADE_ERROR);
	give_back(CONSUMER, A);
	assert_heard(TRIGGER_IPC_OPEN, OPEN(CONSUMER, A, 208, .since = clock_now), ipc_double_open,
		     GRADE_WARNING);
	OPEN(CONSUMER, A, 0);
	OPEN(CONSUMER, A, 0, .memory = MPSAN_MEMORY_DEVICE);
	assert_heard(TRIGGER_IPC_OPEN,
		     OPEN(CONSUMER, A, 208, .since = clock_now + 1, .flags = MPSAN_IPC_AGAIN),
		     ipc_double_open, GRADE_WARNING);
}

static void double_open_is_no_cause_of_other_failures(void **state)
{
	(void)state;
	lend(PRODUCER, A);
	OPEN(CONSUMER, A, 0);
	assert_heard(TRIGGER_IPC_OPEN, OPEN(CONSUMER, A, 2, .flags = MPSAN_IPC_AGAIN),
		     ipc_double_open, GRADE_OFF);
	assert_heard(TRIGGER_IPC_OPEN, OPEN(CONSUMER, A, 700, .flags = MPSAN_IPC_AGAIN),
		     ipc_double_open, GRADE_OFF);
	assert_heard(TRIGGER_IPC_OPEN, OPEN(CONSUMER, A, 400, .flags = MPSAN_IPC_AGAIN),
		     ipc_double_open, GRADE_ERROR);
	release(PRODUCER, A);
	assert_heard(TRIGGER_IPC_OPEN, OPEN(CONSUMER, A, 400, .flags = MPSAN_IPC_AGAIN),
		     ipc_double_open, GRADE_OFF);
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

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(double_open_is_proved_by_its_failure),
		STORY(double_open_that_meets_another_is_a_race),
		STORY(double_open_is_no_cause_of_other_failures),
		STORY(double_open_warns_when_it_succeeds),
		STORY(double_open_is_silent_after_a_close_and_where_somebody_counts),
		STORY(allocator_is_silent),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
