/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fork-libc-lock: another thread was inside a libc function with an internal lock at the fork.
 * Whether it held the lock just then shows only in the child: a call of the same family that does
 * not return, and the futex that it waits for.
 */
#include "../rule.h"

static const char inside[] = "{holder} was using {lock}, {called}";
static const char copied[] =
	"{forker} of process {parent} called {how}, which did not copy {holder}";

static MESSAGE msg_fork = {
	"{holder} was using {lock}[, {called}]|, when |{forker} called {how} at {fork_at}; the child {child} has a copy "
	"of that lock in its state at the fork",
	{{STEP_HOLDER, inside}, STEP_FORK_CALLED},
};

static MESSAGE msg_wait = {
	"process {pid} has not returned from its call at {wait_at}: {holder} was using {lock}[, {called},] and exists "
	"only in the parent[, which forked at {fork_at}]",
	{{STEP_HOLDER, inside},
	 {STEP_FORK, copied},
	 {STEP_WAIT, "{thread} of the child {pid} needs the same lock"}},
};

static MESSAGE msg_proof = {
	"process {pid} {waits} at {wait_at}, inside libc: {holder} was using {lock}[, {called},] and exists only in "
	"the parent[, which forked at {fork_at}]",
	{{STEP_HOLDER, inside},
	 {STEP_FORK, copied},
	 {STEP_WAIT, "{thread} of the child {pid} waits for that lock"}},
};

static MESSAGE msg_unseen = {
	"process {pid} {waits} at {wait_at}, inside libc, for {lock}: the thread that had it exists only in the "
	"parent[, which forked at {fork_at}]",
	{STEP_FORK_CALLED,
	 {STEP_WAIT, "{thread} of the child {pid}, its only thread, waits for it"}},
};

static void fork_libc_lock_judge_fork(const struct facts *facts, const struct trigger *trigger,
				      struct findings *out)
{
	const struct fact_fork *fork = &facts->forks[trigger->index];

	if (fact_fate(facts, fork) == FATE_EXEC)
		return;
	for (uint32_t i = fork->held_begin; i < fork->held_end; i++) {
		const struct fact_held *held = &facts->helds[i];

		if (fact_held_at(facts, i, trigger->index) && held->ev.kind == MPSAN_LOCK_LIBC &&
		    !held->repaired)
			FIND(out, fork_libc_lock, GRADE_NOTE, trigger, trigger->index, i,
			     &msg_fork);
	}
}

static void fork_libc_lock_judge_wait(const struct facts *facts, const struct trigger *trigger,
				      struct findings *out)
{
	const struct fact_wait *wait = &facts->waits[trigger->index];
	bool proved = fact_wait_is_proof(wait);

	if (rule_of_wait(facts, wait) == RULE_fork_libc_lock)
		FIND(out, fork_libc_lock, proved ? GRADE_ERROR : GRADE_NOTE, trigger,
		     fact_fork_behind(facts, wait->held, wait->at.by), wait->held,
		     !proved		     ? &msg_wait :
		     wait->held == FACT_NONE ? &msg_unseen :
					       &msg_proof);
}

void rule_fork_libc_lock(const struct facts *facts, const struct trigger *trigger,
			 struct findings *out)
{
	if (trigger->kind == TRIGGER_FORK)
		fork_libc_lock_judge_fork(facts, trigger, out);
	else
		fork_libc_lock_judge_wait(facts, trigger, out);
}
