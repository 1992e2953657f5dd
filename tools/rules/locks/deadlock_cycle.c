/* SPDX-License-Identifier: Apache-2.0 */
/*
 * deadlock-cycle: threads wait for each other in a cycle of owners; or each remaining thread waits
 * for a wakeup that no thread is left to send.
 */
#include "../deadlock.h"
#include "../rule.h"

static MESSAGE msg_circle = {
	"threads of process {pid} are deadlocked in a wait-for cycle: {deadlock}",
	{STEP_ALL_BLOCKED},
};

static MESSAGE msg_dead_end = {
	"{thread} of process {pid} {waits} at {wait_at}, and no thread is left that could "
	"wake it: {deadlock}",
	{STEP_ALL_BLOCKED},
};

void rule_deadlock_cycle(const struct facts *facts, const struct trigger *trigger,
			 struct findings *out)
{
	const struct fact_deadlock *deadlock = &facts->deadlocks[trigger->index];

	if (deadlock_rule(facts, deadlock) != RULE_deadlock_cycle)
		return;
	if (deadlock->ev.cause == MPSAN_DEADLOCK_CYCLE)
		FIND(out, deadlock_cycle, GRADE_ERROR, trigger, FACT_NONE, FACT_NONE, &msg_circle);
	else
		FIND(out, deadlock_cycle,
		     deadlock_is_certain(facts, deadlock) ? GRADE_ERROR : GRADE_WARNING, trigger,
		     FACT_NONE, FACT_NONE, &msg_dead_end);
}
