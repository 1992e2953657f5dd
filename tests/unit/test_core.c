/*
 * What the facts answer. Neighbours: rules/story_facts.h, tools/facts/facts.c.
 */
#include "rules/story_facts.h"

static struct world world;

static int begin(void **state)
{
	(void)state;
	world_init(&world);
	return 0;
}

static void only_ways_that_go_on_in_the_copy_are_forks(void **state)
{
	(void)state;
	assert_true(fact_how_copies(MPSAN_HOW_FORK));
	assert_true(fact_how_copies(MPSAN_HOW_DAEMON));
	assert_false(fact_how_copies(MPSAN_HOW_VFORK));
	assert_false(fact_how_copies(MPSAN_HOW_POSIX_SPAWN));
	assert_false(fact_how_copies(12345));
}

static void fate_is_what_happened_first(void **state)
{
	(void)state;
	assert_int_equal(fact_fate(&world.facts, &world.fork), FATE_LIVES);
	assert_int_equal(fact_fate_ns(&world.facts, &world.fork), 10 * SECOND + FACT_CHILD_NS);
	world.process[CHILD].gone = true;
	world.process[CHILD].gone_ns = 10 * SECOND + 500;
	assert_int_equal(fact_fate(&world.facts, &world.fork), FATE_ENDED);
	assert_int_equal(fact_fate_ns(&world.facts, &world.fork), 10 * SECOND + 500);
	world.process[CHILD].exec_ns = 10 * SECOND + 100;
	assert_int_equal(fact_fate(&world.facts, &world.fork), FATE_EXEC);
	assert_int_equal(fact_fate_ns(&world.facts, &world.fork), 10 * SECOND + 100);
}

static void fate_does_not_change_with_later_news(void **state)
{
	(void)state;
	world.process[CHILD].exec_ns = 12 * SECOND;
	world.process[CHILD].gone = true;
	world.process[CHILD].gone_ns = 13 * SECOND;
	assert_int_equal(fact_fate(&world.facts, &world.fork), FATE_LIVES);
}

static void a_child_never_seen_counts_as_alive(void **state)
{
	(void)state;
	world.fork.child = FACT_NONE;
	assert_int_equal(fact_fate(&world.facts, &world.fork), FATE_LIVES);
	assert_int_equal(fact_fate_ns(&world.facts, &world.fork), 0);
}

static void the_fork_behind_a_hold_or_a_process_is_found(void **state)
{
	(void)state;
	assert_int_equal(fact_fork_behind(&world.facts, FACT_NONE, CHILD), 0);
	assert_int_equal(fact_fork_behind(&world.facts, FACT_NONE, PARENT), FACT_NONE);
	world_hold(&world, WORKER, MPSAN_LOCK_MUTEX, MPSAN_LF_VERIFIED);
	assert_int_equal(fact_fork_behind(&world.facts, 0, PARENT), 0);
	world.held.fork = FACT_NONE; /* its record was lost */
	assert_int_equal(fact_fork_behind(&world.facts, 0, CHILD), 0);
}

static void arguments_are_searched_within_their_bounds(void **state)
{
	(void)state;
	memset(world.slot[PARENT].argv, 'x', sizeof(world.slot[PARENT].argv));
	world.slot[PARENT].argv_bytes = 1000000; /* damaged */
	assert_false(fact_argv_has(&world.slot[PARENT], "xy"));
	assert_true(fact_argv_has(&world.slot[PARENT], "xx"));
	world.slot[PARENT].argv_bytes = 1;
	assert_false(fact_argv_has(&world.slot[PARENT], "xx"));
}

static void a_trigger_out_of_range_is_ignored(void **state)
{
	struct verdict verdict = {.sink = {verdict_add}};

	(void)state;
	story_run(&world.facts, &(struct trigger){TRIGGER_FORK, 7}, &verdict.sink);
	story_run(&world.facts, &(struct trigger){TRIGGER_WAIT, 0}, &verdict.sink);
	story_run(&world.facts, &(struct trigger){TRIGGER_UNLOCK, 0}, &verdict.sink);
	assert_int_equal(verdict.count, 0);
}

#define STORY(name) cmocka_unit_test_setup(name, begin)

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(only_ways_that_go_on_in_the_copy_are_forks),
		STORY(fate_is_what_happened_first),
		STORY(fate_does_not_change_with_later_news),
		STORY(a_child_never_seen_counts_as_alive),
		STORY(the_fork_behind_a_hold_or_a_process_is_found),
		STORY(arguments_are_searched_within_their_bounds),
		STORY(a_trigger_out_of_range_is_ignored),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
