/* SPDX-License-Identifier: Apache-2.0 */
/*
 * worker-lost: multiprocessing.Pool replaces a worker that was killed, but not its task, and
 * callers wait for that result forever.
 */
#include "../deadlock.h"
#include "../rule.h"

static MESSAGE message_text = {
	"process {pid} {waits} at {wait_at}| for |a result of its pool: the worker {dead} had a task when it ended "
	"({dead_end})[, and all other workers are idle{detail}]",
	{STEP_ALL_BLOCKED},
};

static MESSAGE msg_replaced = {
	"process {pid} {waits} at {wait_at}| for |a result of its pool: one of its workers had a task when it ended, "
	"and was replaced[, and all workers are idle]",
	{STEP_ALL_BLOCKED},
};

static MESSAGE msg_polls = {
	"[{thread} of ]process {pid} has done nothing for {since} s but sleep at {wait_at}[, again and again]; if it "
	"looks for a result of its pool, that will not come: the worker {dead} had a task when it ended ({dead_end})[, "
	"and all other workers are idle{detail}]",
	{STEP_ALL_BLOCKED},
};

void rule_worker_lost(const struct facts *facts, const struct trigger *trigger,
		      struct findings *out)
{
	const struct fact_deadlock *deadlock = &facts->deadlocks[trigger->index];
	const struct fact_blocked *waits = deadlock_subject(facts, deadlock);

	if (deadlock_rule(facts, deadlock) != RULE_worker_lost || !waits)
		return;
	if (waits->ev.kind == MPSAN_WAIT_SYSCALL) /* none of its pool's */
		FIND(out, worker_lost, GRADE_WARNING, trigger, FACT_NONE, FACT_NONE, &msg_polls);
	else if (!(waits->ev.flags & MPSAN_LF_TIMED))
		FIND(out, worker_lost, GRADE_ERROR, trigger, FACT_NONE, FACT_NONE,
		     deadlock->ev.dead_slot ? &message_text : &msg_replaced);
}
