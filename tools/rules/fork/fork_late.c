/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fork-late: a thread other than the main one forked, as manager threads do that start workers on
 * demand. Once is a note, unless multiprocessing.Pool does it by itself; a process that keeps doing it will sooner or later
 * copy a held lock.
 */
#include "../rule.h"

#define OFTEN 2 /* such forks before this one */

static MESSAGE msg_one = {
	"{forker}[, not the main thread,] called {how} at {fork_at}",
	{STEP_FORK_CALLED},
};

static MESSAGE msg_many = {
	"{forker}[, not the main thread,] called {how} at {fork_at}; at least two such forks "
	"happened before in process {parent}, which has {threads} threads",
	{STEP_FORK_WITHOUT_THREADS},
};

static bool fork_late_counts(const struct facts *facts, uint32_t fork)
{
	return fact_fork_is_late(facts, &facts->forks[fork]) &&
	       fact_fate(facts, &facts->forks[fork]) != FATE_EXEC;
}

static bool is_repeated(const struct facts *facts, uint32_t fork)
{
	unsigned before = 0;

	for (uint32_t i = facts->forks[fork].late; i < fork && before < OFTEN;
	     i = facts->forks[i].late)
		before += fork_late_counts(facts, i);
	return before == OFTEN;
}

void rule_fork_late(const struct facts *facts, const struct trigger *trigger, struct findings *out)
{
	bool many;

	if (!fork_late_counts(facts, trigger->index))
		return;
	many = facts->forks[trigger->index].ev.threads > 2 && is_repeated(facts, trigger->index);
	if (!many && facts->forks[trigger->index].by_pool)
		return;
	FIND(out, fork_late, many ? GRADE_WARNING : GRADE_NOTE, trigger, trigger->index, FACT_NONE,
	     many ? &msg_many : &msg_one);
}
