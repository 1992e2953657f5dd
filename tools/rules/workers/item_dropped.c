/* SPDX-License-Identifier: Apache-2.0 */
/*
 * item-dropped: a queue's feeder thread could not send an item, and dropped it. Nobody is told but the reader of standard
 * error, and who waits for the item waits for ever.
 */
#include "../because.h"
#include "../deadlock.h"
#include "../rule.h"

static MESSAGE message_text = {
	"[a queue's feeder thread in ]{who} dropped an item[, which nobody will receive]: {exception}",
	{{STEP_EVENT, "{exception}"}},
};

static MESSAGE msg_waits = {
	"[{thread} of ]process {pid} {waits} at {wait_at}{handler}| for |what was dropped: {deadlock}",
	{STEP_ALL_BLOCKED},
};

static void judge_wait(const struct facts *facts, const struct trigger *trigger,
		       struct findings *out)
{
	const struct fact_deadlock *deadlock = &facts->deadlocks[trigger->index];
	uint32_t event;

	if (deadlock_rule(facts, deadlock) != RULE_item_dropped)
		return;
	event = because_item(facts, deadlock);
	FIND_EVENT(out, item_dropped,
		   deadlock_is_doubted(facts, deadlock) ? GRADE_WARNING : GRADE_ERROR, trigger,
		   &msg_waits, .cause = event + 1, .fix = because_fix(MPSAN_WHERE_FEEDER));
}

void rule_item_dropped(const struct facts *facts, const struct trigger *trigger,
		       struct findings *out)
{
	const struct fact_event *event;

	if (trigger->kind == TRIGGER_DEADLOCK) {
		judge_wait(facts, trigger, out);
		return;
	}
	event = &facts->events[trigger->index];
	if (event->type == EV_exception && EVENT_AS(event, exception)->where == MPSAN_WHERE_FEEDER)
		FIND_EVENT(out, item_dropped, GRADE_WARNING, trigger, &message_text);
}
