/*
 * deadlock-cycle: threads that wait for each other in a circle of owners; or all that are left of
 * them wait for one another without owners, for signals that nobody can give any more.
 */
#include "../deadlock.h"
#include "../rule.h"

static MESSAGE msg_circle = {
	"threads of process {pid} wait for each other for ever: {deadlock}",
	{STEP_ALL_BLOCKED},
};

static MESSAGE msg_dead_end = {
	"nobody is left who could wake {thread} of process {pid}, at {wait_at}: {deadlock}",
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
		FIND(out, deadlock_cycle, GRADE_ERROR, trigger, FACT_NONE, FACT_NONE,
		     &msg_dead_end);
}
