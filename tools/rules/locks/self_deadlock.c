/* SPDX-License-Identifier: Apache-2.0 */
/*
 * self-deadlock: a thread waits without a time limit for a lock that it owns according to the
 * lock's memory, or to its own frames.
 */
#include "../deadlock.h"
#include "../rule.h"

static MESSAGE message_text = {
	"{thread} {waits} at {wait_at}{handler} for {lock}, which it already holds{own}",
	{{STEP_HOLDER, "{holder} already held {lock}{own}"},
	 {STEP_WAIT, "{thread} of process {pid} waits for {lock}, which it holds itself"}},
};

static MESSAGE msg_blocked = {
	"{thread} {waits} at {wait_at}{handler} for {lock}, which it already holds{own}",
	{STEP_ALL_BLOCKED},
};

static void judge_wait(const struct facts *facts, const struct trigger *trigger,
		       struct findings *out)
{
	const struct fact_wait *wait = &facts->waits[trigger->index];

	if (rule_of_wait(facts, wait) == RULE_self_deadlock)
		FIND(out, self_deadlock, GRADE_ERROR, trigger, FACT_NONE, wait->held,
		     &message_text);
}

static void judge_deadlock(const struct facts *facts, const struct trigger *trigger,
			   struct findings *out)
{
	if (deadlock_rule(facts, &facts->deadlocks[trigger->index]) == RULE_self_deadlock)
		FIND(out, self_deadlock, GRADE_ERROR, trigger, FACT_NONE, FACT_NONE, &msg_blocked);
}

void rule_self_deadlock(const struct facts *facts, const struct trigger *trigger,
			struct findings *out)
{
	if (trigger->kind == TRIGGER_WAIT)
		judge_wait(facts, trigger, out);
	else
		judge_deadlock(facts, trigger, out);
}
