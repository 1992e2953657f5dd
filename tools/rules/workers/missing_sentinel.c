/* SPDX-License-Identifier: Apache-2.0 */
/*
 * missing-sentinel: a process joins workers that wait for work on an empty pipe to which only
 * waiting processes could write.
 */
#include "../deadlock.h"
#include "../rule.h"

static MESSAGE message_text = {
	"process {pid} {waits} at {wait_at} for {awaited}: workers wait for an item, and no "
	"process is left that could put one, or a sentinel",
	{STEP_ALL_BLOCKED},
};

void rule_missing_sentinel(const struct facts *facts, const struct trigger *trigger,
			   struct findings *out)
{
	const struct fact_deadlock *deadlock = &facts->deadlocks[trigger->index];

	if (deadlock_rule(facts, deadlock) == RULE_missing_sentinel)
		FIND(out, missing_sentinel, GRADE_ERROR, trigger, FACT_NONE, FACT_NONE,
		     &message_text);
}
