/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread-died: a thread ended by an exception that nobody caught. threading prints it, and the program goes on without the
 * thread; others may wait for ever for what only it would have done.
 */
#include "../../facts/exceptions.h"
#include "../because.h"
#include "../dead_ends.h"
#include "../deadlock.h"
#include "../rule.h"

static MESSAGE message_text = {
	"a thread of {cause_who} ended by {cause_exception}|, and |the program went on without it",
	{{STEP_CAUSE, "it ended by {cause_exception}"}},
};

static MESSAGE msg_waits = {
	"[{thread} of ]process {pid} {waits} at {wait_at}{handler}, and nobody is left who could end the wait: "
	"{deadlock}",
	{STEP_ALL_BLOCKED},
};

static void judge_wait(const struct facts *facts, const struct trigger *trigger,
		       struct findings *out)
{
	const struct fact_deadlock *deadlock = &facts->deadlocks[trigger->index];
	struct dead_end end;
	uint32_t event;

	if (deadlock_rule(facts, deadlock) != RULE_thread_died)
		return;
	event = because_sent(facts, deadlock);
	end = dead_end_of(facts, deadlock);
	FIND_EVENT(out, thread_died,
		   deadlock_is_certain(facts, deadlock) ? GRADE_ERROR : GRADE_WARNING, trigger,
		   &msg_waits, .cause = event + 1,
		   .fix = end.undelivered ? end.fix : because_fix(MPSAN_WHERE_THREAD));
}

static bool is_awaited(const struct facts *facts, uint32_t event)
{
	for (uint32_t i = 0; i < facts->deadlock_count; i++)
		if (because_thread(facts, &facts->deadlocks[i]) == event)
			return true;
	return false;
}

void rule_thread_died(const struct facts *facts, const struct trigger *trigger,
		      struct findings *out)
{
	if (trigger->kind == TRIGGER_DEADLOCK) {
		judge_wait(facts, trigger, out);
		return;
	}
	for (uint32_t i = 0; i < facts->event_count; i++)
		if (facts->events[i].type == EV_exception &&
		    exception_where(facts, i) == MPSAN_WHERE_THREAD && !is_awaited(facts, i))
			FIND_EVENT(out, thread_died, GRADE_NOTE, trigger, &message_text,
				   .cause = i + 1);
}
