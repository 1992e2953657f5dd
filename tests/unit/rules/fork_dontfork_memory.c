/*
 * Stories of fork-dontfork-memory.
 * Neighbours: story_events.h, tools/rules/fork/fork_dontfork_memory.c.
 */
#include "story_events.h"

#include <signal.h>

static void dontfork(uint64_t how, uint64_t address)
{
	*(struct ev_dontfork *)act_add(PARENT, EV_dontfork, 0) =
		(struct ev_dontfork){.address = address, .bytes = 0x2000, .how = how};
	records[world.facts.event_count - 1].head.time_ns = 5 * SECOND;
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
	assert_int_equal(verdict.last[0].fork, 1);
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
	assert_act(fork_dontfork_memory, GRADE_OFF);
	faults(0); /* SIGBUS of shared memory */
	assert_act(fork_dontfork_memory, GRADE_OFF);
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(dontfork_memory_fires_for_a_fault_in_the_range),
		STORY(dontfork_memory_warns_of_registered_memory),
		STORY(dontfork_memory_is_silent_with_support_or_elsewhere),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
