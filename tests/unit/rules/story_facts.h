/*
 * A small world for stories about rules: a parent (slot 0, pid 100), a child (slot 1, pid 200)
 * and room for one fork, one hold, one wait and one refused unlock. A story sets what differs and
 * announces a moment. Neighbours: the other headers here, which build on it.
 */
#ifndef STORY_FACTS_H
#define STORY_FACTS_H

/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
/* clang-format on */
#include <string.h>

#include "../../../tools/rules/rule.h"

#define PARENT 0
#define CHILD 1
#define SECOND 1000000000ull
#define MAIN_THREAD 100
#define WORKER 101

struct world {
	struct mpsan_process slot[2];
	struct fact_process process[2];
	struct fact_fork fork;
	struct fact_held held;
	struct fact_wait wait;
	struct fact_unlock unlock;
	struct facts facts;
};

/* The record of an event that carries all its facts. */
struct story_record {
	struct mpsan_record head;
	uint64_t fields[EVENT_FACT_WORDS];
};

/* Writes an event of a process's main thread, its fields all 0. */
static inline struct fact_event story_event(struct story_record *record, uint32_t by, uint32_t type,
					    struct fact_process *process, uint32_t index,
					    uint64_t time_ns)
{
	uint32_t *newest = &process->event[event_fact_number(type)];
	struct fact_event event = {.record = (uintptr_t)record,
				   .by = (uint16_t)by,
				   .before = *newest,
				   .slot = (uint16_t)by,
				   .type = (uint16_t)type};

	*record = (struct story_record){.head = {.type = (uint16_t)type,
						 .slot = by,
						 .tid = process->slot->pid,
						 .time_ns = time_ns}};
	*newest = index + 1;
	return event;
}

struct verdict {
	struct findings sink;
	unsigned count;
	struct finding last[8];
};

static inline void verdict_add(struct findings *sink, const struct finding *finding)
{
	struct verdict *verdict = (struct verdict *)sink;

	assert_true(verdict->count < 8);
	verdict->last[verdict->count++] = *finding;
}

/* Enters who is whose child, as the reader does, and runs the rules. */
static inline void story_run(struct facts *facts, const struct trigger *trigger,
			     struct findings *out)
{
	struct fact_process *processes = (struct fact_process *)facts->processes;

	for (uint32_t i = 0; i < facts->process_count; i++)
		processes[i].maker = processes[i].children = processes[i].last_child =
			processes[i].sibling = 0;
	for (uint32_t i = 0; i < facts->process_count; i++)
		fact_child_enter(processes, facts->process_count, i);
	rules_run(facts, trigger, out);
}

/* Two threads; one forks at second 10, the child lives until told otherwise. */
static inline void world_init(struct world *world)
{
	memset(world, 0, sizeof(*world));
	world->slot[PARENT] = (struct mpsan_process){.pid = 100, .birth_ns = SECOND};
	world->slot[CHILD] = (struct mpsan_process){
		.pid = 200, .parent = PARENT + 1, .how = MPSAN_HOW_FORK, .birth_ns = 10 * SECOND};
	world->process[PARENT].slot = &world->slot[PARENT];
	world->process[CHILD].slot = &world->slot[CHILD];
	world->fork = (struct fact_fork){.at = {PARENT, PARENT, MAIN_THREAD, 8192, 10 * SECOND},
					 .ev = {.how = MPSAN_HOW_FORK, .threads = 2},
					 .child = CHILD,
					 .late = FACT_NONE};
	world->facts = (struct facts){
		.now_ns = 20 * SECOND,
		.processes = world->process,
		.process_count = 2,
		.forks = &world->fork,
		.fork_count = 1,
		.helds = &world->held,
		.waits = &world->wait,
		.unlocks = &world->unlock,
	};
}

/* At the fork, a thread holds a lock of this kind. */
static inline void world_hold(struct world *world, uint32_t holder, uint64_t kind, uint64_t flags)
{
	world->held = (struct fact_held){.at = {PARENT, PARENT, MAIN_THREAD, 8256, 10 * SECOND},
					 .ev = {.fork = 8192,
						.lock = 0x1000,
						.kind = kind,
						.flags = flags,
						.holder = holder}};
	world->facts.held_count = 1;
	world->fork.held_end = 1;
	world->fork.ev.held = 1;
}

/* The child waits for that lock. */
static inline void world_wait(struct world *world, uint64_t reason, uint64_t kind, uint64_t flags)
{
	world->wait = (struct fact_wait){.at = {CHILD, CHILD, 200, 8192, 11 * SECOND},
					 .ev = {.lock = 0x1000,
						.kind = kind,
						.flags = flags,
						.reason = reason,
						.owner = WORKER,
						.threads = 1},
					 .held = world->facts.held_count ? 0 : FACT_NONE};
	world->facts.wait_count = 1;
}

static inline struct verdict announce(struct world *world, enum trigger_kind kind)
{
	struct trigger trigger = {kind, 0};
	struct verdict verdict = {.sink = {verdict_add}};

	story_run(&world->facts, &trigger, &verdict.sink);
	return verdict;
}

/*
 * The grade that a rule gave, GRADE_OFF when it was silent. It speaks at most once in these
 * stories.
 */
static inline enum grade grade_of(const struct verdict *verdict, enum rule_id rule)
{
	enum grade grade = GRADE_OFF;

	for (unsigned i = 0; i < verdict->count; i++) {
		if (verdict->last[i].rule != rule)
			continue;
		assert_int_equal(grade, GRADE_OFF);
		grade = verdict->last[i].grade;
	}
	return grade;
}

#define assert_grade(world, kind, rule, grade)                             \
	do {                                                               \
		struct verdict verdict_ = announce(world, kind);           \
		assert_int_equal(grade_of(&verdict_, RULE_##rule), grade); \
	} while (0)

#endif
