/*
 * fork-threads: fork copies the calling thread only. What the other threads were doing stays half done in the
 * child, so each such fork is worth a note; the rules beside this one say when it hurts.
 */
#include "../core/rule.h"

void rule_fork_threads(const struct facts *facts, const struct moment *moment, struct findings *out)
{
	const struct fact_fork *fork = &facts->forks[moment->index];

	if (fork->ev.threads < 2 || fact_fate(facts, fork) == FATE_EXEC)
		return;
	out->add(out, FINDING(fork_threads, moment, moment->index, FACT_NONE, .grade = GRADE_NOTE,
			      .message = "a process with {threads} threads was copied by {how} at {fork_at}; its "
					 "child {child} has only the calling thread",
			      STEPS({ STEP_FORK, "{forker} of process {parent} called {how}" })));
}
