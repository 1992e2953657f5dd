/* SPDX-License-Identifier: Apache-2.0 */
/*
 * waiter-killed: notify() of a multiprocessing condition, and so set() of an event, waits until
 * each sleeper has confirmed its wakeup. A sleeper that was killed still counts.
 */
#include "../deadlock.h"
#include "../rule.h"

static MESSAGE message_text = {
	"process {pid} {waits} at {wait_at}| for |a sleeper to confirm its wakeup: {dead} was sleeping there when it "
	"ended ({dead_end})",
	{STEP_ALL_BLOCKED},
};

void rule_waiter_killed(const struct facts *facts, const struct trigger *trigger,
			struct findings *out)
{
	const struct fact_deadlock *deadlock = &facts->deadlocks[trigger->index];
	const struct fact_blocked *waits = deadlock_subject(facts, deadlock);

	if (deadlock_rule(facts, deadlock) == RULE_waiter_killed && waits &&
	    !(waits->ev.flags & MPSAN_LF_TIMED))
		FIND(out, waiter_killed, GRADE_ERROR, trigger, FACT_NONE, FACT_NONE, &message_text);
}
