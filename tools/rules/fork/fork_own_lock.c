/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fork-own-lock: the forking thread holds a recursive or error-checking mutex, which records its
 * owner by thread ID. The thread has another ID in the child: its unlock fails, and a second lock
 * blocks forever.
 */
#include "../rule.h"

static const char taken[] = "{holder} held {lock}, {taken}";
static const char copied[] = "the same thread called {how}";

static MESSAGE msg_fork = {
	"{forker} called {how} at {fork_at} while it held {lock}, which records its owner by "
	"thread ID: the child {child} cannot unlock it",
	{{STEP_HOLDER, taken}, {STEP_FORK, copied}},
};

static MESSAGE msg_wait = {
	"process {pid} {waits} at {wait_at}| for |{lock}, which it took before the fork at {fork_at}; the lock "
	"records the parent's thread ID as its owner",
	{{STEP_HOLDER, taken}, {STEP_FORK, copied}, STEP_CHILD_WAITS},
};

static MESSAGE msg_unlock = {
	"process {pid} could not unlock {lock} at {wait_at}: it was taken before the fork at "
	"{fork_at} under another thread ID, and stays locked",
	{{STEP_HOLDER, taken},
	 {STEP_FORK, copied},
	 {STEP_UNLOCK, "the unlock by {thread} of the child {pid} failed"}},
};

static void fork_own_lock_judge_fork(const struct facts *facts, const struct trigger *trigger,
				     struct findings *out)
{
	const struct fact_fork *fork = &facts->forks[trigger->index];
	bool lives = fact_fate(facts, fork) == FATE_LIVES;

	for (uint32_t i = fork->held_begin; i < fork->held_end; i++) {
		const struct fact_held *held = &facts->helds[i];

		if (fact_held_at(facts, i, trigger->index) && held->ev.holder == fork->at.tid &&
		    fact_held_counts(held))
			FIND(out, fork_own_lock, lives ? GRADE_WARNING : GRADE_NOTE, trigger,
			     trigger->index, i, &msg_fork);
	}
}

static void fork_own_lock_judge_wait(const struct facts *facts, const struct trigger *trigger,
				     struct findings *out)
{
	const struct fact_wait *wait = &facts->waits[trigger->index];

	if (rule_of_wait(facts, wait) == RULE_fork_own_lock)
		FIND(out, fork_own_lock, GRADE_ERROR, trigger,
		     fact_fork_behind(facts, wait->held, wait->at.by), wait->held, &msg_wait);
}

static void judge_unlock(const struct facts *facts, const struct trigger *trigger,
			 struct findings *out)
{
	const struct fact_unlock *unlock = &facts->unlocks[trigger->index];

	if (proof_rule_unlock(unlock->ev.flags) == RULE_fork_own_lock)
		FIND(out, fork_own_lock, GRADE_ERROR, trigger,
		     fact_fork_behind(facts, unlock->held, unlock->at.by), unlock->held,
		     &msg_unlock);
}

void rule_fork_own_lock(const struct facts *facts, const struct trigger *trigger,
			struct findings *out)
{
	if (trigger->kind == TRIGGER_FORK)
		fork_own_lock_judge_fork(facts, trigger, out);
	else if (trigger->kind == TRIGGER_WAIT)
		fork_own_lock_judge_wait(facts, trigger, out);
	else
		judge_unlock(facts, trigger, out);
}
