/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shm-unsynchronized: two processes can write to the same memory at the same time, and neither has
 * a process-shared lock. Hogwild training does just that, so the rule is off by default.
 */
#include "../rule.h"

#define TOLD_MAX 8u

static MESSAGE message_text = {
	"{mappers} had {segment} mapped for writing at the same time|, and |no process-shared lock",
	{STEP_MADE, {STEP_CAUSE, "{cause_who} mapped it for writing"}},
};

static bool is_writer(const struct facts *facts, uint32_t event)
{
	return facts->shm.links[event].flags & SHM_LINK_WRITER &&
	       !facts->shm.locks[facts->events[event].by];
}

/* Whether two processes wrote at any time: most segments have one writer, and no record need be read. */
static bool has_writers(const struct facts *facts, uint32_t segment)
{
	uint32_t one = FACT_NONE;

	EACH_SHM_EVENT(facts, segment, at) {
		if (!is_writer(facts, at - 1))
			continue;
		if (one != FACT_NONE && one != facts->events[at - 1].by)
			return true;
		one = facts->events[at - 1].by;
	}
	return false;
}

/* The event by which a second process mapped the segment for writing: index + 1; 0: none. */
static uint32_t second_writer(const struct facts *facts, uint32_t segment)
{
	EACH_SHM_EVENT(facts, segment, at) {
		uint32_t other = is_writer(facts, at - 1) ?
					 shm_mapped(facts, segment + 1,
						    event_time(&facts->events[at - 1]),
						    facts->events[at - 1].by) :
					 0;

		if (other && is_writer(facts, other - 1))
			return at;
	}
	return 0;
}

void rule_shm_unsynchronized(const struct facts *facts, const struct trigger *trigger,
			     struct findings *out)
{
	uint32_t told = 0;

	for (uint32_t i = 0; i < facts->shm.segment_count && told < TOLD_MAX; i++) {
		uint32_t writer = has_writers(facts, i) ? second_writer(facts, i) : 0;

		if (!writer)
			continue;
		told++;
		FIND_EVENT(out, shm_unsynchronized, GRADE_NOTE, trigger, &message_text,
			   .segment = i + 1, .cause = writer);
	}
}
