/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fork-lock-held: another thread held a lock at the fork. The child's copy of that lock stays
 * locked, and no thread there can release it.
 */
#include "../rule.h"

static MESSAGE message_text = {
	"{holder} held {lock}[, {taken}]|, when |{forker} called {how} at {fork_at}; in the child {child} it stays "
	"locked",
	{STEP_HOLDER_HELD, STEP_FORK_CALLED},
};

void rule_fork_lock_held(const struct facts *facts, const struct trigger *trigger,
			 struct findings *out)
{
	const struct fact_fork *fork = &facts->forks[trigger->index];
	bool lives = fact_fate(facts, fork) == FATE_LIVES;

	for (uint32_t i = fork->held_begin; i < fork->held_end; i++) {
		const struct fact_held *held = &facts->helds[i];

		if (fact_held_at(facts, i, trigger->index) && held->ev.holder != fork->at.tid &&
		    fact_held_counts(held))
			FIND(out, fork_lock_held, lives ? GRADE_WARNING : GRADE_NOTE, trigger,
			     trigger->index, i, &message_text);
	}
}
