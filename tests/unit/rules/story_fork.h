/*
 * A world for stories about a fork and about waits after it: that of story_facts.h, and an atfork
 * handler that kept a lock.
 */
#ifndef STORY_FORK_H
#define STORY_FORK_H

#include "story_facts.h"

static struct world world;
static struct fact_left left;

static inline int begin(void **state)
{
	(void)state;
	world_init(&world);
	left = (struct fact_left){.at = {PARENT, PARENT, MAIN_THREAD, 8320, 10 * SECOND + 1},
				  .ev = {.lock = 0x1000, .kind = MPSAN_LOCK_MUTEX},
				  .fork = 0};
	world.facts.lefts = &left;
	return 0;
}

static inline void child_execs(void)
{
	world.slot[CHILD].exec_ns = world.process[CHILD].exec_ns = 10 * SECOND + 1000;
}

static inline void child_exits(void)
{
	world.process[CHILD].gone = true;
	world.process[CHILD].gone_ns = 10 * SECOND + 1000;
}

static inline void alone_on(uint64_t kind, uint64_t flags)
{
	world_wait(&world, MPSAN_WAIT_ALONE, kind, flags);
	world.wait.ev.owner = 0;
}

static inline void assert_only(enum rule_id rule, enum grade grade)
{
	struct verdict verdict = announce(&world, TRIGGER_WAIT);

	assert_int_equal(verdict.count, 1);
	assert_int_equal(verdict.last[0].rule, rule);
	assert_int_equal(verdict.last[0].grade, grade);
}

#define STORY(name) cmocka_unit_test_setup(name, begin)

#endif
