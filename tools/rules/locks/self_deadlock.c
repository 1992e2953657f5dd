/*
 * self-deadlock: a thread asks without a time limit for a lock that its memory says this same thread
 * owns.
 */
#include "../rule.h"

static MESSAGE message_text = {
	"{thread} waits for ever at {wait_at} for {lock}, which it holds itself",
	{{STEP_HOLDER, "{holder} had {lock} already, {taken}"},
	 {STEP_WAIT, "{thread} of process {pid} waits for {lock}, which it owns"}},
};

void rule_self_deadlock(const struct facts *facts, const struct trigger *trigger,
			struct findings *out)
{
	const struct fact_wait *wait = &facts->waits[trigger->index];

	if (rule_of_wait(facts, wait) == RULE_self_deadlock)
		FIND(out, self_deadlock, GRADE_ERROR, trigger, FACT_NONE, wait->held,
		     &message_text);
}
