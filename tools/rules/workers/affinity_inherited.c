/* SPDX-License-Identifier: Apache-2.0 */
/*
 * affinity-inherited: a process that is bound to one processor, often by a library, passes that
 * affinity on to all workers that it forks, which then take turns on it.
 */

#include "../rule.h"

static MESSAGE msg_choice = {
	"{who} and {siblings} further workers take turns on one processor: their parent was bound "
	"to it at {cause_at}, before it forked; until then it could use {cause_before} processors",
	{{STEP_CAUSE, "{cause_who} was bound to {cause_processors} of {cause_before} processors"},
	 {STEP_EVENT, "{who} had run for {busy} when this was seen"}},
};

static MESSAGE message_text = {
	"{who} and {siblings} further workers take turns on one processor: their parent was bound "
	"to it before it forked",
	{{STEP_EVENT, "{who} had run for {busy} when this was seen"}},
};

/*
 * The newest change of affinity by the nearest ancestor that made one: an event's index, FACT_NONE.
 */
static uint32_t choice(const struct facts *facts, uint32_t slot)
{
	EACH_ANCESTOR(facts, slot) {
		uint32_t at = fact_event_of(facts, slot, EV_affinity, FACT_NONE);

		if (at != FACT_NONE)
			return at;
	}
	return FACT_NONE;
}

void rule_affinity_inherited(const struct facts *facts, const struct trigger *trigger,
			     struct findings *out)
{
	const struct fact_event *event = &facts->events[trigger->index];
	const struct ev_bound *bound = EVENT_AS(event, bound);
	uint32_t cause;

	if (event->type != EV_bound || bound->processors != 1 || !bound->parent_slot)
		return;
	cause = choice(facts, (uint32_t)bound->parent_slot - 1);
	if (cause != FACT_NONE && EVENT_AS(&facts->events[cause], affinity)->processors == 1)
		FIND_EVENT(out, affinity_inherited, GRADE_WARNING, trigger, &msg_choice,
			   .cause = cause + 1);
	else
		FIND_EVENT(out, affinity_inherited, GRADE_NOTE, trigger, &message_text);
}
