/*
 * missing-sentinel: a process waits for the end of workers, and they wait for work on an empty pipe
 * into which only waiting processes could write.
 */
#include "../deadlock.h"
#include "../rule.h"

static MESSAGE message_text = {
	"process {pid} waits for ever at {wait_at} for {awaited}: workers wait for more work, "
	"and nobody is left who could send it or tell them to stop",
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
