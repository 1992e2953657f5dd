/*
 * waiter-killed: the notify() of a multiprocessing condition, and so the set() of an event, waits
 * until each sleeper has confirmed that it woke. One that was killed in its sleep still counts.
 */
#include "../deadlock.h"
#include "../rule.h"

static MESSAGE message_text = {
	"process {pid} waits for ever at {wait_at} for a sleeper to confirm that it woke: {dead} slept there "
	"when it ended ({dead_end})",
	{STEP_ALL_BLOCKED},
};

void rule_waiter_killed(const struct facts *facts, const struct trigger *trigger,
			struct findings *out)
{
	const struct fact_deadlock *deadlock = &facts->deadlocks[trigger->index];
	const struct fact_blocked *waits = deadlock_sufferer(facts, deadlock);

	if (deadlock_rule(facts, deadlock) == RULE_waiter_killed && waits &&
	    !(waits->ev.flags & MPSAN_LF_TIMED))
		FIND(out, waiter_killed, GRADE_ERROR, trigger, FACT_NONE, FACT_NONE, &message_text);
}
