/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuda-stale-query: a forked child queried the driver that it inherited and got an answer. It is
 * what the parent's driver had cached; a child that trusts it goes on to its first real call, which
 * fails.
 */
#include "../rule.h"

static MESSAGE message_text = {
	"{function} succeeded at {at} in process {pid}, which was forked by {how} at {fork_at} after CUDA had been "
	"initialised by {init_function}[, called from {library}]: the answer holds for the parent only, the child "
	"cannot use the device",
	{{STEP_INIT,
	  "{initialiser} of process {parent} initialised CUDA first, by {init_function}, "
	  "called from {library}"},
	 STEP_FORK_CALLED,
	 {STEP_CUDA, "{thread} of the child {pid} called {function}"}},
};

void rule_cuda_stale_query(const struct facts *facts, const struct trigger *trigger,
			   struct findings *out)
{
	const struct fact_cuda_call *call = &facts->cuda.calls[trigger->index];
	uint32_t init = cuda_init_before(facts, call->at.by, call->at.time_ns);

	if (init && proof_rule_cuda(call->ev.kind, call->ev.result) == RULE_cuda_stale_query)
		FIND_FORKED(out, cuda_stale_query, GRADE_NOTE, trigger, init,
			    cuda_fork_after(facts, init, call->at.by), &message_text);
}
