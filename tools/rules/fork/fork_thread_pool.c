/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fork-thread-pool: libraries keep worker threads between calls. A forked child inherits the
 * bookkeeping of such a pool but none of its threads, so work handed to the pool is never done. For
 * libgomp the proof precedes the wait: the same thread had a team of that pool before the fork, and
 * requests one again.
 */
#include "../rule.h"

static MESSAGE msg_team = {
	"process {pid} {waits} at {wait_at} in a parallel region that needs {lock}: its threads exist only in the "
	"parent[, which forked at {fork_at}]",
	{{STEP_HOLDER, "{holder} used {lock} before the fork, {called}"},
	 {STEP_FORK,
	  "{forker} of process {parent} called {how}, which did not copy the pool's threads"},
	 {STEP_WAIT, "{thread} of the child {pid} waits for the pool's threads"}},
};

static MESSAGE msg_alone = {
	"process {pid} {waits} at {wait_at}| for |the thread pool of {module}: its {pool} thread(s) exist only in the "
	"parent[, which forked at {fork_at}]",
	{{STEP_FORK, "{forker} of process {parent} called {how}, which did not copy {lost}"},
	 {STEP_WAIT, "{thread} of the child {pid}, its only thread, waits for {lock} of {module}"}},
};

/* A wait that no thread of the child can end, in a library whose threads were not copied. */
static void judge_alone(const struct facts *facts, const struct trigger *trigger,
			struct findings *out)
{
	const struct fact_wait *wait = &facts->waits[trigger->index];

	FIND(out, fork_thread_pool, fact_wait_is_proof(wait) ? GRADE_ERROR : GRADE_WARNING, trigger,
	     fact_fork_behind(facts, FACT_NONE, wait->at.by), FACT_NONE, &msg_alone);
}

static void judge_team(const struct facts *facts, const struct trigger *trigger,
		       struct findings *out)
{
	const struct fact_wait *wait = &facts->waits[trigger->index];

	FIND(out, fork_thread_pool, GRADE_ERROR, trigger,
	     fact_fork_behind(facts, FACT_NONE, wait->at.by), wait->held, &msg_team);
}

void rule_fork_thread_pool(const struct facts *facts, const struct trigger *trigger,
			   struct findings *out)
{
	if (trigger->kind != TRIGGER_WAIT ||
	    rule_of_wait(facts, &facts->waits[trigger->index]) != RULE_fork_thread_pool)
		return;
	if (facts->waits[trigger->index].ev.reason == MPSAN_WAIT_TEAM)
		judge_team(facts, trigger, out);
	else
		judge_alone(facts, trigger, out);
}
