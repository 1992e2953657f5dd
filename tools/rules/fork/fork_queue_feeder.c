/*
 * fork-queue-feeder: multiprocessing.Queue starts a hidden thread at its first put(). Alone it is
 * harmless (the queue repairs itself after a fork); with a private lock in hand it is not.
 */
#include "../rule.h"

static MESSAGE msg_idle = {
	"{how} at {fork_at} while {feeders} feeder thread(s) of multiprocessing.Queue ran",
	{STEP_FORK_CALLED},
};

static MESSAGE msg_busy = {
	"{how} at {fork_at} while the feeder thread of a multiprocessing.Queue held a private lock",
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
