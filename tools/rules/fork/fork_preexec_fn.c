/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fork-preexec-fn: between fork and exec, subprocess runs Python code in the copy of a
 * multithreaded process. If that blocks, so does the parent: Popen returns after the exec.
 */
#include "../rule.h"

static const char copied[] = "{forker} of process {parent} called {how} for a preexec_fn";

static MESSAGE msg_fork = {
	"subprocess forked a process with {threads} threads at {fork_at} to run a preexec_fn in "
	"the child; it blocks forever on any lock that another thread held",
	{{STEP_FORK, copied}},
};

static MESSAGE msg_wait = {
	"process {pid} {waits} at {wait_at}| for |{lock}, in the preexec_fn of the subprocess call at {fork_at}: it "
	"never calls exec, and its parent waits for that",
	{STEP_HOLDER_HELD, {STEP_FORK, copied}, STEP_CHILD_WAITS},
};

static MESSAGE msg_doubt = {
	"process {pid} waits at {wait_at}| for |{lock}, in the preexec_fn of the subprocess call at {fork_at}; only a "
	"signal handler or another thread could end the wait",
	{STEP_HOLDER_HELD, {STEP_FORK, copied}, STEP_CHILD_WAITS},
};

/* Whether the child hangs in it: then the wait is reported instead of the fork. */
static bool fork_preexec_fn_hangs(const struct facts *facts, const struct fact_fork *fork)
{
	for (uint32_t i = 0; i < facts->wait_count; i++)
		if (facts->waits[i].at.by == fork->child && !facts->waits[i].end_ns &&
		    rule_of_wait(facts, &facts->waits[i]) == RULE_fork_preexec_fn)
			return true;
	return false;
}

static void fork_preexec_fn_judge_fork(const struct facts *facts, const struct trigger *trigger,
				       struct findings *out)
{
	const struct fact_fork *fork = &facts->forks[trigger->index];

	if (fork->ev.flags & MPSAN_FORK_PREEXEC && fork->ev.threads > 1 &&
	    !fork_preexec_fn_hangs(facts, fork))
		FIND(out, fork_preexec_fn, GRADE_WARNING, trigger, trigger->index, FACT_NONE,
		     &msg_fork);
}

static void fork_preexec_fn_judge_wait(const struct facts *facts, const struct trigger *trigger,
				       struct findings *out)
{
	const struct fact_wait *wait = &facts->waits[trigger->index];
	bool proved = fact_wait_is_proof(wait);

	if (rule_of_wait(facts, wait) == RULE_fork_preexec_fn)
		FIND(out, fork_preexec_fn, proved ? GRADE_ERROR : GRADE_WARNING, trigger,
		     fact_fork_behind(facts, FACT_NONE, wait->at.by), wait->held,
		     proved ? &msg_wait : &msg_doubt);
}

void rule_fork_preexec_fn(const struct facts *facts, const struct trigger *trigger,
			  struct findings *out)
{
	if (trigger->kind == TRIGGER_FORK)
		fork_preexec_fn_judge_fork(facts, trigger, out);
	else if (trigger->kind == TRIGGER_WAIT)
		fork_preexec_fn_judge_wait(facts, trigger, out);
}
