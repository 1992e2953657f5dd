/*
 * fork-threads: fork copies the calling thread only. What the other threads were doing stays half
 * done in the child, so each such fork is worth a note; the rules beside this one say when it
 * hurts.
 */
#include "../rule.h"

static MESSAGE message_text = {
	"a process with {threads} threads was copied by {how} at {fork_at}; its child {child} has only "
	"the calling thread",
	{STEP_FORK_WITHOUT_THREADS},
};

void rule_fork_threads(const struct facts *facts, const struct trigger *trigger,
		       struct findings *out)
{
	const struct fact_fork *fork = &facts->forks[trigger->index];

	if (fork->ev.threads > 1 && fact_fate(facts, fork) != FATE_EXEC)
		FIND(out, fork_threads, GRADE_NOTE, trigger, trigger->index, FACT_NONE,
		     &message_text);
}
