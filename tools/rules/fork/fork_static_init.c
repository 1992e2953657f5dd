/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fork-static-init: another thread was constructing a C++ static at the fork. The child's copy of
 * the guard says that construction is in progress, but no thread there performs it.
 */
#include "../rule.h"

static MESSAGE msg_fork = {
	"{holder} was constructing the static of {lock}[, {called}]|, when |{forker} called {how} at {fork_at}; in the "
	"child {child} the construction never ends",
	{{STEP_HOLDER, "{holder} was constructing the static of {lock}, {called}"},
	 STEP_FORK_CALLED},
};

static MESSAGE msg_wait = {
	"process {pid} {waits} at {wait_at}| for |the static of {lock}: {holder} was constructing it[, {called},] and "
	"exists only in the parent[, which forked at {fork_at}]",
	{{STEP_HOLDER, "{holder} was constructing the static of {lock}, {called}"},
	 STEP_FORK_WITHOUT_HOLDER,
	 {STEP_WAIT, "{thread} of the child {pid} waits for the end of that construction"}},
};

static void fork_static_init_judge_fork(const struct facts *facts, const struct trigger *trigger,
					struct findings *out)
{
	const struct fact_fork *fork = &facts->forks[trigger->index];
	bool lives = fact_fate(facts, fork) == FATE_LIVES;

	for (uint32_t i = fork->held_begin; i < fork->held_end; i++) {
		const struct fact_held *held = &facts->helds[i];

		if (fact_held_at(facts, i, trigger->index) && held->ev.kind == MPSAN_LOCK_GUARD &&
		    held->ev.holder != fork->at.tid && !held->repaired)
			FIND(out, fork_static_init, lives ? GRADE_WARNING : GRADE_NOTE, trigger,
			     trigger->index, i, &msg_fork);
	}
}

static void fork_static_init_judge_wait(const struct facts *facts, const struct trigger *trigger,
					struct findings *out)
{
	const struct fact_wait *wait = &facts->waits[trigger->index];

	if (rule_of_wait(facts, wait) == RULE_fork_static_init)
		FIND(out, fork_static_init, GRADE_ERROR, trigger,
		     fact_fork_behind(facts, wait->held, wait->at.by), wait->held, &msg_wait);
}

void rule_fork_static_init(const struct facts *facts, const struct trigger *trigger,
			   struct findings *out)
{
	if (trigger->kind == TRIGGER_FORK)
		fork_static_init_judge_fork(facts, trigger, out);
	else
		fork_static_init_judge_wait(facts, trigger, out);
}
