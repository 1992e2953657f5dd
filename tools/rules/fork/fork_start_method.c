/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fork-start-method: with torch loaded, PyTorch's authors advise spawn or forkserver. Fork is the
 * default on Linux and often works, hence a note; the policy strict makes it a warning.
 */
#include "../rule.h"

static MESSAGE message_text = {
	"[{forker} of ]a process with torch loaded called {how} at {fork_at}; the start methods "
	"spawn and forkserver start from a clean process",
	{STEP_FORK_CALLED},
};

void rule_fork_start_method(const struct facts *facts, const struct trigger *trigger,
			    struct findings *out)
{
	const struct fact_fork *fork = &facts->forks[trigger->index];

	if (fork->ev.flags & MPSAN_FORK_TORCH && fact_fate(facts, fork) != FATE_EXEC)
		FIND(out, fork_start_method, GRADE_NOTE, trigger, trigger->index, FACT_NONE,
		     &message_text);
}
