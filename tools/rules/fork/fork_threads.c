/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fork-threads: fork copies only the calling thread. What the other threads were doing stays half
 * done in the child, so each such fork is a note, unless the program could not change it: multiprocessing.Pool replaces a
 * worker from a thread of its own. Other rules report when it causes harm.
 */
#include "../rule.h"

static MESSAGE message_text = {
	"[{forker} of ]a process with {threads} threads called {how} at {fork_at}; the child {child} "
	"has only the calling thread",
	{STEP_FORK_WITHOUT_THREADS},
};

void rule_fork_threads(const struct facts *facts, const struct trigger *trigger,
		       struct findings *out)
{
	const struct fact_fork *fork = &facts->forks[trigger->index];

	if (fork->ev.threads > 1 && !fork->by_pool && fact_fate(facts, fork) != FATE_EXEC)
		FIND(out, fork_threads, GRADE_NOTE, trigger, trigger->index, FACT_NONE,
		     &message_text);
}
