/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lock-owner-killed: a process or thread ended while it held a lock that others wait for. A mutex
 * records its dead owner. A semaphore has no owner, and any process may post it: the proof needs
 * that it serves as a lock and that no process is left to release it in the owner's place.
 */
#include "../deadlock.h"
#include "../rule.h"

static MESSAGE message_text = {
	"process {pid} {waits} at {wait_at}| for |{lock}: {dead} took it{taken} and ended ({dead_end}) without "
	"releasing it",
	{STEP_ALL_BLOCKED},
};

static MESSAGE msg_doubt = {
	"process {pid} waits at {wait_at}| for |{lock}: {dead} took it{taken} and ended ({dead_end}) without "
	"releasing it; only a process that releases it in the owner's place could end the wait",
	{STEP_ALL_BLOCKED},
};

static MESSAGE msg_thread = {
	"process {pid} {waits} at {wait_at}| for |{lock}: {dead} took it{taken} and ended without releasing it",
	{STEP_ALL_BLOCKED},
};

static MESSAGE msg_unknown = {
	"process {pid} {waits} at {wait_at}| for |{lock}, and no process that is left has it: whoever took it ended "
	"without releasing it",
	{STEP_ALL_BLOCKED},
};

/* A thread, or a process that was not killed. */
#define FIX_ENDED                                                                                          \
	"release {lock} on every path, errors and early returns included: {python|`with lock:`}{native|, " \
	"std::lock_guard in C++, one exit for all paths in C}"

static bool is_proof(const struct ev_blocked *wait)
{
	return wait->kind != MPSAN_LOCK_SEMAPHORE || wait->flags & MPSAN_LF_MUTUAL;
}

static struct finding finding_of(const struct facts *facts, const struct fact_deadlock *deadlock,
				 const struct ev_blocked *wait)
{
	uint64_t dead = deadlock->ev.dead_slot;
	bool proof = is_proof(wait), none = !dead || dead > facts->process_count,
	     thread = none && wait->owner;
	struct finding finding = {
		.rule = RULE_lock_owner_killed,
		.grade = proof ? GRADE_ERROR : GRADE_WARNING,
		.message_text = !proof ? &msg_doubt :
				thread ? &msg_thread :
				none   ? &msg_unknown :
					 &message_text,
	};

	if (thread)
		finding.title = "a thread ended without releasing a lock";
	if (none || facts->processes[dead - 1].slot->end == MPSAN_END_EXIT)
		finding.fix = FIX_ENDED;
	return finding;
}

void rule_lock_owner_killed(const struct facts *facts, const struct trigger *trigger,
			    struct findings *out)
{
	const struct fact_deadlock *deadlock = &facts->deadlocks[trigger->index];
	const struct fact_blocked *waits = deadlock_subject(facts, deadlock);

	if (deadlock_rule(facts, deadlock) != RULE_lock_owner_killed || !waits ||
	    waits->ev.flags & (MPSAN_LF_TIMED | MPSAN_LF_ROBUST | MPSAN_LF_HANDOFF))
		return;
	finding_add(out, trigger, finding_of(facts, deadlock, &waits->ev));
}
