/*
 * Stories about what a fork copies besides locks: open files, buffers, holes in memory; and about tensors in pipes.
 * Neighbours: story_facts.h.
 */
#include "story_facts.h"

#define ACTS 8

static struct world world;
static struct fact_event events[ACTS];
static uint64_t fields[ACTS][EVENT_FACT_WORDS];

static int begin(void **state)
{
	(void)state;
	world_init(&world);
	memset(events, 0, sizeof(events));
	world.facts.events = events;
	return 0;
}

/* One act more, at a time in milliseconds; its fields are filled in by the caller. */
static uint64_t *act_add(uint32_t by, uint32_t type, uint64_t ms)
{
	uint32_t index = world.facts.event_count++;

	assert_true(index < ACTS);
	events[index].at = (struct fact_place){by, by, world.slot[by].pid, 16384 + 64 * index,
					       10 * SECOND + ms * 1000000};
	events[index].type = type;
	events[index].before = world.process[by].event[event_fact_number(type)];
	events[index].field = memset(fields[index], 0, sizeof(fields[index]));
	world.process[by].event[event_fact_number(type)] = index + 1;
	return fields[index];
}

static void uses(uint32_t by, uint64_t kind, uint64_t what, uint64_t ms)
{
	struct ev_offset_used *ev = (struct ev_offset_used *)act_add(by, EV_offset_used, ms);

	*ev = (struct ev_offset_used){.fd = 3,
				      .device = 1,
				      .inode = 77,
				      .kind = kind,
				      .what = what,
				      .with = by == CHILD ? 100 : 0};
}

static struct verdict newest(void)
{
	struct trigger trigger = {TRIGGER_EVENT, world.facts.event_count - 1};
	struct verdict verdict = {.sink = {verdict_add}};

	rules_run(&world.facts, &trigger, &verdict.sink);
	return verdict;
}

#define assert_newest(rule, grade)                                         \
	do {                                                               \
		struct verdict verdict_ = newest();                        \
		assert_int_equal(grade_of(&verdict_, RULE_##rule), grade); \
	} while (0)

static void file_offset_warns_when_two_meet(void **state)
{
	(void)state;
	uses(PARENT, MPSAN_OFFSET_FILE, MPSAN_OFFSET_MOVE, 10);
	uses(PARENT, MPSAN_OFFSET_FILE, MPSAN_OFFSET_READ, 20);
	assert_newest(shared_file_offset, GRADE_OFF);
	uses(CHILD, MPSAN_OFFSET_FILE, MPSAN_OFFSET_READ, 30);
	assert_newest(shared_file_offset, GRADE_WARNING);
	uses(CHILD, MPSAN_OFFSET_FILE, MPSAN_OFFSET_WRITE, 40); /* said already */
	assert_newest(shared_file_offset, GRADE_OFF);
}

static void file_offset_fires_when_answers_may_be_swapped(void **state)
{
	(void)state;
	uses(PARENT, MPSAN_OFFSET_STREAM, MPSAN_OFFSET_WRITE, 10);
	uses(CHILD, MPSAN_OFFSET_STREAM, MPSAN_OFFSET_WRITE, 20);
	assert_newest(shared_file_offset, GRADE_NOTE);
	uses(PARENT, MPSAN_OFFSET_STREAM, MPSAN_OFFSET_READ, 30);
	uses(CHILD, MPSAN_OFFSET_STREAM, MPSAN_OFFSET_READ, 40);
	assert_newest(shared_file_offset, GRADE_ERROR);
}

static void file_offset_warns_of_questions_in_turn(void **state)
{
	(void)state;
	uses(PARENT, MPSAN_OFFSET_STREAM, MPSAN_OFFSET_WRITE, 10);
	uses(PARENT, MPSAN_OFFSET_STREAM, MPSAN_OFFSET_READ, 20);
	uses(CHILD, MPSAN_OFFSET_STREAM, MPSAN_OFFSET_WRITE, 30);
	uses(CHILD, MPSAN_OFFSET_STREAM, MPSAN_OFFSET_READ, 40);
	assert_newest(shared_file_offset, GRADE_WARNING);
}

static void file_offset_is_silent_one_after_the_other(void **state)
{
	(void)state;
	uses(CHILD, MPSAN_OFFSET_FILE, MPSAN_OFFSET_MOVE, 10);
	uses(CHILD, MPSAN_OFFSET_FILE, MPSAN_OFFSET_READ, 20);
	world.slot[CHILD].end_ns = 10 * SECOND + 25 * 1000000;
	uses(PARENT, MPSAN_OFFSET_FILE, MPSAN_OFFSET_READ, 30);
	assert_newest(shared_file_offset, GRADE_OFF);
}

static void file_offset_is_silent_without_a_seek_or_a_proof(void **state)
{
	(void)state;
	uses(PARENT, MPSAN_OFFSET_FILE, MPSAN_OFFSET_WRITE, 10);
	uses(CHILD, MPSAN_OFFSET_FILE, MPSAN_OFFSET_WRITE, 20);
	assert_newest(shared_file_offset, GRADE_OFF);
	uses(CHILD, MPSAN_OFFSET_FILE, MPSAN_OFFSET_MOVE, 30);
	for (unsigned i = 0; i < 3; i++)
		((struct ev_offset_used *)fields[i])->with = 0; /* kcmp did not say so */
	assert_newest(shared_file_offset, GRADE_OFF);
}

static void file_offset_is_silent_about_uses_before_the_fork(void **state)
{
	(void)state;
	uses(PARENT, MPSAN_OFFSET_FILE, MPSAN_OFFSET_MOVE, 10);
	events[0].at.time_ns = 9 * SECOND;
	uses(CHILD, MPSAN_OFFSET_FILE, MPSAN_OFFSET_READ, 20);
	assert_newest(shared_file_offset, GRADE_OFF);
}

static void stdio(void)
{
	*(struct ev_stdio_twice *)act_add(CHILD, EV_stdio_twice, 50) =
		(struct ev_stdio_twice){.fd = 1, .bytes = 21};
}

static void unflushed_stdio_fires_as_a_note(void **state)
{
	(void)state;
	stdio();
	assert_newest(fork_unflushed_stdio, GRADE_NOTE);
}

static void unflushed_stdio_is_silent_when_the_parent_never_writes(void **state)
{
	(void)state;
	stdio();
	world.slot[PARENT].end = MPSAN_END_SIGNAL;
	assert_newest(fork_unflushed_stdio, GRADE_OFF);
	world.slot[PARENT].end = MPSAN_END_EXIT;
	world.process[PARENT].exec_ns = 11 * SECOND;
	assert_newest(fork_unflushed_stdio, GRADE_OFF);
}

static void dontfork(uint64_t how, uint64_t address)
{
	*(struct ev_dontfork *)act_add(PARENT, EV_dontfork, 0) =
		(struct ev_dontfork){.address = address, .bytes = 0x2000, .how = how};
	events[world.facts.event_count - 1].at.time_ns = 5 * SECOND;
}

static void faults(uint64_t by)
{
	*(struct ev_fault *)act_add(CHILD, EV_fault, 50) =
		(struct ev_fault){.signal = 11, .address = 0x101800, .code = 1, .by = by};
}

static void dontfork_memory_fires_for_a_fault_in_the_range(void **state)
{
	struct verdict verdict;

	(void)state;
	dontfork(MPSAN_DONTFORK_ADVICE, 0x100000);
	dontfork(MPSAN_DONTFORK_ADVICE, 0x900000);
	faults(0x4000);
	verdict = newest();
	assert_int_equal(grade_of(&verdict, RULE_fork_dontfork_memory), GRADE_ERROR);
	assert_int_equal(verdict.last[0].cause, 1);
	assert_int_equal(verdict.last[0].fork, 0);
}

static void dontfork_memory_warns_of_registered_memory(void **state)
{
	(void)state;
	dontfork(MPSAN_DONTFORK_REGISTERED, 0x100000);
	assert_grade(&world, TRIGGER_FORK, fork_dontfork_memory, GRADE_WARNING);
}

static void dontfork_memory_is_silent_with_support_or_elsewhere(void **state)
{
	(void)state;
	dontfork(MPSAN_DONTFORK_SUPPORTED, 0);
	dontfork(MPSAN_DONTFORK_REGISTERED, 0x100000);
	assert_grade(&world, TRIGGER_FORK, fork_dontfork_memory, GRADE_OFF);
	dontfork(MPSAN_DONTFORK_ADVICE, 0x900000);
	faults(0x4000);
	assert_newest(fork_dontfork_memory, GRADE_OFF);
	faults(0); /* SIGBUS of shared memory */
	assert_newest(fork_dontfork_memory, GRADE_OFF);
}

static void pickled_by_value_fires_as_a_note(void **state)
{
	(void)state;
	*(struct ev_pickled *)act_add(PARENT, EV_pickled, 50) =
		(struct ev_pickled){.bytes = 40000, .count = 1};
	assert_newest(tensor_pickled_by_value, GRADE_NOTE);
}

static void pickled_by_value_is_silent_about_other_acts(void **state)
{
	(void)state;
	uses(PARENT, MPSAN_OFFSET_FILE, MPSAN_OFFSET_READ, 10);
	assert_newest(tensor_pickled_by_value, GRADE_OFF);
}

#define STORY(name) cmocka_unit_test_setup(name, begin)

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(file_offset_warns_when_two_meet),
		STORY(file_offset_fires_when_answers_may_be_swapped),
		STORY(file_offset_warns_of_questions_in_turn),
		STORY(file_offset_is_silent_one_after_the_other),
		STORY(file_offset_is_silent_without_a_seek_or_a_proof),
		STORY(file_offset_is_silent_about_uses_before_the_fork),
		STORY(unflushed_stdio_fires_as_a_note),
		STORY(unflushed_stdio_is_silent_when_the_parent_never_writes),
		STORY(dontfork_memory_fires_for_a_fault_in_the_range),
		STORY(dontfork_memory_warns_of_registered_memory),
		STORY(dontfork_memory_is_silent_with_support_or_elsewhere),
		STORY(pickled_by_value_fires_as_a_note),
		STORY(pickled_by_value_is_silent_about_other_acts),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
