/*
 * fork-queue-feeder: multiprocessing.Queue starts a hidden thread at its first put(). Alone it is harmless
 * (the queue repairs itself after a fork); with a private lock in hand it is not.
 */
#include "../core/rule.h"

void rule_fork_queue_feeder(const struct facts *facts, const struct moment *moment, struct findings *out)
{
	const struct fact_fork *fork = &facts->forks[moment->index];
	bool busy = fork->ev.flags & MPSAN_FORK_FEEDER_BUSY;

	if (!fork->ev.feeder || fact_fate(facts, fork) == FATE_EXEC)
		return;
	out->add(out, FINDING(fork_queue_feeder, moment, moment->index, FACT_NONE, .grade = busy ? GRADE_WARNING : GRADE_NOTE,
			      .message = busy ? "{how} at {fork_at} while the feeder thread of a multiprocessing.Queue held "
						"a private lock" :
						"{how} at {fork_at} while {feeders} feeder thread(s) of multiprocessing.Queue ran",
			      STEPS({ STEP_FORK, "{forker} of process {parent} called {how}" })));
}
