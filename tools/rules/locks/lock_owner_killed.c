/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lock-owner-killed: a process or thread ended while it held a lock that others wait for. A mutex
 * records its dead owner. A semaphore has no owner, and any process may post it: the proof needs
 * that it serves as a lock and that no process is left to release it in the owner's place.
 */
#include "../deadlock.h"
#include "../rule.h"

static MESSAGE message_text = {
	"process {pid} {waits} at {wait_at} for {lock}: {dead} took it{taken} and ended "
	"({dead_end}) without releasing it",
	{STEP_ALL_BLOCKED},
};

static MESSAGE msg_doubt = {
	"process {pid} waits at {wait_at} for {lock}: {dead} took it{taken} and ended ({dead_end}) "
	"without releasing it; only a process that releases it in the owner's place could end the "
	"wait",
	{STEP_ALL_BLOCKED},
};

static bool is_proof(const struct ev_blocked *wait)
{
	return wait->kind != MPSAN_LOCK_SEMAPHORE || wait->flags & MPSAN_LF_MUTUAL;
}

void rule_lock_owner_killed(const struct facts *facts, const struct trigger *trigger,
			    struct findings *out)
{
	const struct fact_deadlock *deadlock = &facts->deadlocks[trigger->index];
	const struct fact_blocked *waits = deadlock_sufferer(facts, deadlock);

	if (deadlock_rule(facts, deadlock) != RULE_lock_owner_killed || !waits ||
	    waits->ev.flags & (MPSAN_LF_TIMED | MPSAN_LF_ROBUST | MPSAN_LF_HANDOFF))
		return;
	if (is_proof(&waits->ev))
		FIND(out, lock_owner_killed, GRADE_ERROR, trigger, FACT_NONE, FACT_NONE,
		     &message_text);
	else
		FIND(out, lock_owner_killed, GRADE_WARNING, trigger, FACT_NONE, FACT_NONE,
		     &msg_doubt);
}
