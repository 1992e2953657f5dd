/* SPDX-License-Identifier: Apache-2.0 */
/*
 * join-before-drain: a process joins another, and that one, or a thread that it must join itself,
 * writes to a full pipe that only waiting processes could read.
 */
#include "../deadlock.h"
#include "../rule.h"

static MESSAGE message_text = {
	"process {pid} {waits} at {wait_at} for {awaited}, which first has to write "
	"everything that was put into a queue, and no process is left that could read it",
	{STEP_ALL_BLOCKED},
};

void rule_join_before_drain(const struct facts *facts, const struct trigger *trigger,
			    struct findings *out)
{
	const struct fact_deadlock *deadlock = &facts->deadlocks[trigger->index];

	if (deadlock_rule(facts, deadlock) == RULE_join_before_drain)
		FIND(out, join_before_drain, GRADE_ERROR, trigger, FACT_NONE, FACT_NONE,
		     &message_text);
}
