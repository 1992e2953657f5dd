/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fork-lost-wakeup: a forked child waits for a condition variable, semaphore or similar object
 * whose signaller is a thread of its parent, or the parent itself, which has another copy of that
 * memory.
 */
#include "../deadlock.h"
#include "../rule.h"

#define STEPS                                                                                    \
	{                                                                                        \
		STEP_FORK_CALLED,                                                                \
		{                                                                                \
			STEP_WAIT, "{thread} of the child {pid}, its only one, waits for {lock}" \
		}                                                                                \
	}

static MESSAGE msg_threads = {
	"process {pid} {waits} at {wait_at}| for |{lock}: no thread is left to end the wait, the fork at {fork_at} "
	"did not copy {lost}",
	STEPS,
};

static MESSAGE msg_pool = {
	"process {pid} {waits} at {wait_at}| for |{lock}: {signallers} only in the parent[, which forked at "
	"{fork_at}]",
	STEPS,
};

static MESSAGE msg_parent = {
	"process {pid} {waits} at {wait_at}| for |{lock}: it has one thread, and its parent[, which forked at "
	"{fork_at}], has another copy of that memory",
	STEPS,
};

static MESSAGE msg_doubt = {
	"process {pid} waits at {wait_at}| for |{lock}: it has had one thread since the fork at {fork_at}, so only a "
	"signal could end the wait",
	STEPS,
};

static MESSAGE msg_deadlock = {
	"process {pid} {waits} at {wait_at}| for |{lock}: no thread is left to end the wait, the fork at {fork_at} "
	"did not copy {lost}",
	{STEP_FORK_CALLED, STEP_ALL_BLOCKED},
};

static const struct message_text *fork_lost_wakeup_choose(const struct fact_wait *wait,
							  const struct fact_fork *fork)
{
	if (!fact_wait_is_proof(wait))
		return &msg_doubt;
	if (wait->pool_threads)
		return &msg_pool;
	return fork->ev.threads > 1 ? &msg_threads : &msg_parent;
}

static void fork_lost_wakeup_judge_wait(const struct facts *facts, const struct trigger *trigger,
					struct findings *out)
{
	const struct fact_wait *wait = &facts->waits[trigger->index];
	uint32_t fork;

	if (rule_of_wait(facts, wait) != RULE_fork_lost_wakeup)
		return;
	fork = fact_fork_behind(facts, FACT_NONE, wait->at.by);
	if (fork != FACT_NONE)
		FIND(out, fork_lost_wakeup, fact_wait_is_proof(wait) ? GRADE_ERROR : GRADE_WARNING,
		     trigger, fork, FACT_NONE, fork_lost_wakeup_choose(wait, &facts->forks[fork]));
}

/* A wait that no hook can predict: glibc's broadcast waits for waiters that were not copied. */
static void judge_deadlock(const struct facts *facts, const struct trigger *trigger,
			   struct findings *out)
{
	const struct fact_deadlock *deadlock = &facts->deadlocks[trigger->index];

	if (deadlock_rule(facts, deadlock) == RULE_fork_lost_wakeup)
		FIND(out, fork_lost_wakeup, GRADE_ERROR, trigger,
		     fact_fork_behind(facts, FACT_NONE,
				      deadlock_left_child(facts, deadlock)->at.by),
		     FACT_NONE, &msg_deadlock);
}

void rule_fork_lost_wakeup(const struct facts *facts, const struct trigger *trigger,
			   struct findings *out)
{
	if (trigger->kind == TRIGGER_WAIT)
		fork_lost_wakeup_judge_wait(facts, trigger, out);
	else
		judge_deadlock(facts, trigger, out);
}
