/*
 * A parent, its child, and a process that the child made: what stories about people begin with. Include this
 * first. Neighbours: story_facts.h, tools/facts/processes.h.
 */
#ifndef MPSAN_TESTS_STORY_PEOPLE_H
#define MPSAN_TESTS_STORY_PEOPLE_H

#include "story_facts.h"

#include "../../../tools/facts/processes.h"

#define GRAND 2 /* a process that the child made */
#define OTHER 3 /* in a story that says which */
#define SLOTS 4
#define ACTS 8

static struct mpsan_process slot[SLOTS];
static struct fact_process process[SLOTS];
static struct fact_fork forks[12];
static struct fact_event events[ACTS];
static struct story_record records[ACTS];
static struct facts facts;

/* A parent that exits in second 15, and its child, which ends with it. */
static inline int begin(void **state)
{
	(void)state;
	memset(slot, 0, sizeof(slot));
	memset(process, 0, sizeof(process));
	memset(events, 0, sizeof(events));
	memset(forks, 0, sizeof(forks));
	for (int i = 0; i < SLOTS; i++) {
		slot[i] = (struct mpsan_process){.pid = 100 * (uint32_t)(i + 1),
						 .parent = (uint32_t)i,
						 .how = i ? MPSAN_HOW_FORK : MPSAN_HOW_ROOT,
						 .birth_ns = (uint64_t)(10 + i) * SECOND,
						 .end = MPSAN_END_EXIT};
		process[i] = (struct fact_process){
			.slot = &slot[i], .gone = true, .gone_ns = 15 * SECOND};
	}
	forks[0] = (struct fact_fork){.at = {PARENT, PARENT, MAIN_THREAD, 8192, 11 * SECOND},
				      .ev = {.how = MPSAN_HOW_FORK, .threads = 1},
				      .child = CHILD,
				      .late = FACT_NONE};
	facts = (struct facts){.now_ns = 30 * SECOND,
			       .processes = process,
			       .process_count = 2,
			       .forks = forks,
			       .fork_count = 1,
			       .events = events};
	return 0;
}

static inline struct verdict tell(enum trigger_kind kind, uint32_t index)
{
	struct trigger trigger = {kind, index};
	struct verdict verdict = {.sink = {verdict_add}};

	story_run(&facts, &trigger, &verdict.sink);
	return verdict;
}

#define assert_told(kind, index, rule, grade)                              \
	do {                                                               \
		struct verdict verdict_ = tell(kind, index);               \
		assert_int_equal(grade_of(&verdict_, RULE_##rule), grade); \
	} while (0)

static inline void child_lives_until(uint64_t time_ns)
{
	process[CHILD].gone_ns = time_ns;
}

static inline void runs_python(void)
{
	for (int i = 0; i < SLOTS; i++)
		slot[i].python = 0x030b02f0;
}

static inline void set_argv(uint32_t of, const char *text)
{
	memset(slot[of].argv, 0, sizeof(slot[of].argv));
	strcpy(slot[of].argv, text);
	slot[of].argv_bytes = (uint32_t)strlen(text) + 1;
}

/* An act of a process, with its first fields. */
static inline void *act(uint32_t by, uint32_t type, uint64_t time_ns)
{
	uint32_t index = facts.event_count++;

	assert_true(index < ACTS);
	events[index] = story_event(&records[index], by, type, &process[by], index, time_ns);
	return records[index].fields;
}

static inline struct ev_load *load(uint32_t by, uint64_t running, uint64_t processors,
				   uint64_t processes)
{
	struct ev_load *event = act(by, EV_load, 14 * SECOND);

	*event = (struct ev_load){.running = running,
				  .computing = running,
				  .processors = processors,
				  .lasted = 3 * SECOND,
				  .processes = processes};
	return event;
}

#define STORY(name) cmocka_unit_test_setup(name, begin)

#endif
