/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuda-before-fork: a process forked after it had initialised the CUDA driver. The child works as
 * long as it does not use CUDA, like the workers of a DataLoader; its first use of the device
 * fails, which cuda-in-forked-child reports instead.
 */
#include "../rule.h"

static const char initialised[] = "{initialiser} of process {parent} initialised CUDA first, by "
				  "{init_function}, called from {library}";

static MESSAGE msg_fork = {
	"process {parent} forked by {how} at {fork_at} after CUDA had been initialised by {init_function}[, called "
	"from {library} at {init_at}]; the child {child} must not use CUDA",
	{{STEP_INIT, initialised}, {STEP_FORK, "{forker} of process {forked} called {how}"}},
};

static MESSAGE msg_refusal = {
	"{function} failed with {result} at {at} in process {pid}|, |which was forked by {how} at {fork_at} after "
	"CUDA had been initialised by {init_function}[, called from {library} at {init_at}]",
	{{STEP_INIT, initialised},
	 STEP_FORK_CALLED,
	 {STEP_CUDA, "{thread} of the child {pid} called {function}, which returned {result}"}},
};

static MESSAGE msg_use = {
	"{function} was called at {at} in process {pid}|, |which was forked by {how} at {fork_at} after CUDA had been "
	"initialised by {init_function}[, called from {library} at {init_at}]",
	{{STEP_INIT, initialised},
	 STEP_FORK_CALLED,
	 {STEP_CUDA, "{thread} of the child {pid} called {function}, which succeeded"}},
};

#define FIX "{spawn}, or fork before anything touches CUDA"

static void tell(const struct facts *facts, const struct trigger *trigger, struct findings *out,
		 struct finding finding)
{
	finding.rule = RULE_cuda_before_fork;
	finding.fix = facts->cuda.inits[finding.init - 1].asks ? FIX CUDA_ASKED : NULL;
	finding_add(out, trigger, finding);
}

static void cuda_before_fork_judge_fork(const struct facts *facts, const struct trigger *trigger,
					struct findings *out)
{
	const struct fact_fork *fork = &facts->forks[trigger->index];
	uint32_t init = cuda_init_before(facts, fork->at.by, fork->at.time_ns);

	if (init && fact_fate(facts, fork) != FATE_EXEC)
		tell(facts, trigger, out,
		     (struct finding){.grade = GRADE_NOTE,
				      .message_text = &msg_fork,
				      .fork = trigger->index + 1,
				      .init = init});
}

static void judge_call(const struct facts *facts, const struct trigger *trigger,
		       struct findings *out)
{
	const struct fact_cuda_call *call = &facts->cuda.calls[trigger->index];
	uint32_t init = cuda_init_before(facts, call->at.by, call->at.time_ns);
	bool asks = call->ev.kind == MPSAN_CUDA_QUERY;

	if (init && asks == (call->ev.result != 0))
		tell(facts, trigger, out,
		     (struct finding){.grade = GRADE_WARNING,
				      .message_text = asks ? &msg_refusal : &msg_use,
				      .fork = cuda_fork_after(facts, init, call->at.by) + 1,
				      .init = init});
}

void rule_cuda_before_fork(const struct facts *facts, const struct trigger *trigger,
			   struct findings *out)
{
	if (trigger->kind == TRIGGER_FORK)
		cuda_before_fork_judge_fork(facts, trigger, out);
	else
		judge_call(facts, trigger, out);
}
