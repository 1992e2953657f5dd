/*
 * A world for stories about events that processes log: that of story_facts.h, and what its two
 * processes did.
 */
#ifndef STORY_EVENTS_H
#define STORY_EVENTS_H

#include "story_facts.h"

#define ACTS 8

static struct world world;
static struct fact_event events[ACTS];
static struct story_record records[ACTS];

static inline int begin(void **state)
{
	(void)state;
	world_init(&world);
	memset(events, 0, sizeof(events));
	world.facts.events = events;
	return 0;
}

/* One act more, at a time in milliseconds; its fields are filled in by the caller. */
static inline uint64_t *act_add(uint32_t by, uint32_t type, uint64_t ms)
{
	uint32_t index = world.facts.event_count++;

	assert_true(index < ACTS);
	events[index] = story_event(&records[index], by, type, &world.process[by], index,
				    10 * SECOND + ms * 1000000);
	return records[index].fields;
}

/* Each a second after the one before. */
static inline struct fact_event *add(uint32_t by, uint32_t type, const void *event, size_t bytes)
{
	uint32_t index = world.facts.event_count;

	assert_true(bytes <= sizeof(records[0].fields));
	memcpy(act_add(by, type, 1000 * (1 + index)), event, bytes);
	return &events[index];
}

#define ACT(slot, name, ...) \
	add(slot, EV_##name, &(struct ev_##name){__VA_ARGS__}, sizeof(struct ev_##name))

static inline void uses(uint32_t by, uint64_t kind, uint64_t what, uint64_t ms)
{
	struct ev_offset_used *ev = (struct ev_offset_used *)act_add(by, EV_offset_used, ms);

	*ev = (struct ev_offset_used){.fd = 3,
				      .device = 1,
				      .inode = 77,
				      .kind = kind,
				      .what = what,
				      .with = by == CHILD ? 100 : 0};
}

/* What the rules say of an event, or of the end of a process. */
static inline struct verdict announce_at(enum trigger_kind kind, uint32_t index)
{
	struct trigger trigger = {kind, index};
	struct verdict verdict = {.sink = {verdict_add}};

	story_run(&world.facts, &trigger, &verdict.sink);
	return verdict;
}

static inline struct verdict newest(void)
{
	return announce_at(TRIGGER_EVENT, world.facts.event_count - 1);
}

#define assert_act(rule, wanted)                                            \
	do {                                                                \
		struct verdict verdict_ = newest();                         \
		assert_int_equal(grade_of(&verdict_, RULE_##rule), wanted); \
	} while (0)

#define STORY(name) cmocka_unit_test_setup(name, begin)

#endif
