/* SPDX-License-Identifier: Apache-2.0 */
/*
 * collective-mismatch: ranks of torch.distributed or NCCL wait for each other in different collectives, or for one
 * that has ended or is deadlocked itself. The supervisor saw all ranks that the collectives need.
 */
#include "../deadlock.h"
#include "../rule.h"

static MESSAGE message_text = {
	"{detail}",
	{STEP_ALL_BLOCKED},
};

void rule_collective_mismatch(const struct facts *facts, const struct trigger *trigger,
			      struct findings *out)
{
	const struct fact_deadlock *deadlock = &facts->deadlocks[trigger->index];
	const struct fact_blocked *first;

	if (deadlock_rule(facts, deadlock) != RULE_collective_mismatch)
		return;
	first = deadlock_subject(facts, deadlock);
	finding_add(out, trigger,
		    (struct finding){.rule = RULE_collective_mismatch,
				     .grade = first->ev.flags & MPSAN_LF_CERTAIN ? GRADE_ERROR :
										   GRADE_WARNING,
				     .message_text = &message_text});
}
