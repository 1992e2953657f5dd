/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cow-growth: a forked worker starts with its parent's memory at no cost, and pays for each page
 * that either of them writes to. Python writes to an object even when it reads it, to count
 * references.
 */
#include <stdbool.h>
#include <stddef.h>

#include "../../facts/processes.h"
#include "../rule.h"

#define WARNING_BYTES (64ull << 20) /* in one worker: the interpreter and its modules take less */
#define NOTE_BYTES (16ull << 20) /* in all workers of one call site */
#define SITES 64u /* call sites that fork; further ones replace earlier ones */

static MESSAGE message_text = {
	"workers forked at {fork_at} copied {amount_bytes} of the memory that they shared with "
	"process {parent} by writing to it while they worked; memory that they allocated "
	"themselves is not counted",
	{STEP_FORK_CALLED},
};

static MESSAGE msg_end = {
	"workers forked at {fork_at} copied {amount_bytes} of the memory that they shared with "
	"process {parent} when they ended, not while they worked: interpreter shutdown and "
	"destructors write to what they free",
	{STEP_FORK_CALLED},
};
static MESSAGE fix_of_end = {
	.message =
		"let workers end by os._exit() (in C: _exit) once their output is flushed, or call "
		"gc.freeze() before the fork",
};

/* The forks of one process at one call site. */
struct site {
	bool taken;
	uint32_t by, fork;
	uint64_t place;
	uint64_t copied, most; /* while they worked: in all, and in one child */
	uint64_t ended; /* at their ends, in all */
	uint32_t event,
		end_event; /* of the child that copied most; of the first that ended so, + 1 */
};

static void cow_growth_tell(const struct trigger *trigger, struct findings *out,
			    const struct site *site)
{
	bool works = site->copied >= NOTE_BYTES;

	if (!works && site->ended < NOTE_BYTES)
		return;
	finding_add(
		out, trigger,
		(struct finding){.rule = RULE_cow_growth,
				 .grade = site->most < WARNING_BYTES ? GRADE_NOTE : GRADE_WARNING,
				 .message_text = works ? &message_text : &msg_end,
				 .fix = works ? NULL : fix_of_end.message,
				 .fork = site->fork + 1,
				 .cause = works ? site->event : site->end_event,
				 .amount = works ? site->copied : site->ended});
}

/* Identifies the call site of a fork: the library records equal frames and equal stacks once. */
static uint64_t cow_growth_place_of(const struct fact_fork *fork)
{
	return fork->ev.python ? fork->ev.python : fork->ev.stack;
}

/* Whether an event counts: a process's later record of its work replaces the earlier ones. */
static bool cow_growth_counts(const struct facts *facts, uint32_t index)
{
	const struct fact_event *event = &facts->events[index];

	return event->type == EV_growth_end ||
	       (event->type == EV_growth &&
		fact_event_of(facts, event->by, EV_growth, FACT_NONE) == index);
}

static void cow_growth_add(const struct facts *facts, struct site *site, uint32_t index)
{
	uint64_t copied;

	if (facts->events[index].type == EV_growth_end) {
		site->ended += EVENT_AS(&facts->events[index], growth_end)->copied;
		site->end_event = site->end_event ? site->end_event : index + 1;
		return;
	}
	copied = EVENT_AS(&facts->events[index], growth)->copied;
	site->copied += copied;
	if (site->event && copied <= site->most)
		return;
	site->most = copied;
	site->event = index + 1;
}

void rule_cow_growth(const struct facts *facts, const struct trigger *trigger, struct findings *out)
{
	struct site sites[SITES] = {0};

	for (uint32_t i = 0; i < facts->event_count; i++) {
		uint32_t fork = cow_growth_counts(facts, i) ?
					process_fork(facts, facts->events[i].by) :
					FACT_NONE;
		const struct fact_fork *from = fork == FACT_NONE ? NULL : &facts->forks[fork];
		struct site *site;

		if (!from)
			continue;
		site = &sites[(from->at.by + cow_growth_place_of(from) / MPSAN_UNIT) % SITES];
		if (site->taken &&
		    (site->by != from->at.by || site->place != cow_growth_place_of(from))) {
			cow_growth_tell(trigger, out, site);
			site->taken = false;
		}
		if (!site->taken)
			*site = (struct site){.taken = true,
					      .by = from->at.by,
					      .fork = fork,
					      .place = cow_growth_place_of(from)};
		cow_growth_add(facts, site, i);
	}
	for (uint32_t i = 0; i < SITES; i++)
		cow_growth_tell(trigger, out, &sites[i]);
}
