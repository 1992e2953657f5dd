/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuda-in-forked-child: the driver was initialised, the process forked, and the child calls the
 * driver. The driver's threads and its connection to the device stayed with the parent, so every
 * such call fails. The report also says who initialised it first: often a library that only queried
 * for devices.
 */
#include "../rule.h"

static MESSAGE message_text = {
	"{function} failed with {result} at {at} in process {pid}: CUDA was initialised by "
	"{init_function}, called from {library} at {init_at}, before this process was forked by "
	"{how} at {fork_at}; the driver does not work in a forked child",
	{{STEP_INIT,
	  "{initialiser} of process {parent} initialised CUDA first, by {init_function}, "
	  "called from {library}"},
	 STEP_FORK_CALLED,
	 {STEP_CUDA, "{thread} of the child {pid} called {function}, which failed with {result}"}},
};

void rule_cuda_in_forked_child(const struct facts *facts, const struct trigger *trigger,
			       struct findings *out)
{
	const struct fact_cuda_call *call = &facts->cuda.calls[trigger->index];
	uint32_t init = cuda_init_before(facts, call->at.by, call->at.time_ns);

	if (init && proof_rule_cuda(call->ev.kind, call->ev.result) == RULE_cuda_in_forked_child)
		FIND_FORKED(out, cuda_in_forked_child, GRADE_ERROR, trigger, init,
			    cuda_fork_after(facts, init, call->at.by), &message_text);
}
