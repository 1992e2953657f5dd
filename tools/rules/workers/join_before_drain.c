/*
 * join-before-drain: a process waits for the end of another, and that one, or a thread that it has
 * to wait for itself, writes into a full pipe which only waiting processes could read.
 */
#include "../deadlock.h"
#include "../rule.h"

static MESSAGE message_text = {
	"process {pid} waits for ever at {wait_at} for {awaited}: that does not come before "
	"everything that was put into a queue is read, and nobody is left who could read it",
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
