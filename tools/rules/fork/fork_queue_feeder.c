/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fork-queue-feeder: multiprocessing.Queue starts a hidden thread at its first put(). It is
 * harmless by itself (the queue repairs itself after a fork), but not while it holds a private
 * lock.
 */
#include "../rule.h"

static MESSAGE msg_idle = {
	"{forker} called {how} at {fork_at}| |while {feeders} feeder thread(s) of multiprocessing.Queue were running",
	{STEP_FORK_CALLED},
};

static MESSAGE msg_busy = {
	"{forker} called {how} at {fork_at}| |while the feeder thread of a multiprocessing.Queue held a private lock",
	{STEP_FORK_CALLED},
};

void rule_fork_queue_feeder(const struct facts *facts, const struct trigger *trigger,
			    struct findings *out)
{
	const struct fact_fork *fork = &facts->forks[trigger->index];

	if (!fork->ev.feeder || fact_fate(facts, fork) == FATE_EXEC)
		return;
	if (fork->ev.flags & MPSAN_FORK_FEEDER_BUSY)
		FIND(out, fork_queue_feeder, GRADE_WARNING, trigger, trigger->index, FACT_NONE,
		     &msg_busy);
	else
		FIND(out, fork_queue_feeder, GRADE_NOTE, trigger, trigger->index, FACT_NONE,
		     &msg_idle);
}
