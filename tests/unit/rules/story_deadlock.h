/*
 * A world for stories about deadlocks: that of story_facts.h, and one deadlock, of whose threads a
 * story tells how they wait.
 */
#ifndef STORY_DEADLOCK_H
#define STORY_DEADLOCK_H

#include "story_facts.h"

#include "../../../tools/rules/deadlock.h"

static struct world world;
static struct fact_blocked blocked[4];
static struct fact_deadlock deadlock;

static inline int begin(void **state)
{
	(void)state;
	world_init(&world);
	memset(blocked, 0, sizeof(blocked));
	deadlock = (struct fact_deadlock){.at = {2, PARENT, MAIN_THREAD, 8192, 12 * SECOND}};
	world.facts.blockeds = blocked;
	world.facts.deadlocks = &deadlock;
	world.facts.deadlock_count = 1;
	return 0;
}

/* One more thread of the deadlock, which waits in this way. */
static inline struct ev_blocked *blocks(uint64_t kind, uint64_t flags)
{
	struct fact_blocked *one = &blocked[world.facts.blocked_count++];

	*one = (struct fact_blocked){.at = {2, PARENT, MAIN_THREAD, 8192, 12 * SECOND},
				     .ev = {.lock = 0x1000, .kind = kind, .flags = flags}};
	deadlock.end = world.facts.blocked_count;
	return &one->ev;
}

#define assert_deadlock(stated, rule, grade)                         \
	do {                                                         \
		deadlock.ev.cause = (stated);                        \
		assert_grade(&world, TRIGGER_DEADLOCK, rule, grade); \
	} while (0)

/* Nobody but the given rule speaks. */
static inline void assert_alone(enum rule_id rule)
{
	struct verdict verdict = announce(&world, TRIGGER_DEADLOCK);

	assert_int_equal(verdict.count, 1);
	assert_int_equal(verdict.last[0].rule, rule);
	assert_int_equal(verdict.last[0].deadlock, 1);
	assert_int_equal(verdict.last[0].message_text->step[0].role, STEP_BLOCKED);
}

/* Two threads of one process, each waiting for a mutex. */
static inline void two_threads_wait(void)
{
	for (uint32_t i = 0; i < 2; i++) {
		blocks(MPSAN_LOCK_MUTEX, 0)->lock = 0x1000 + i;
		blocked[i].at.tid = MAIN_THREAD + i;
	}
}

#define STORY(name) cmocka_unit_test_setup(name, begin)

#endif
