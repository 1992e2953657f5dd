/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuda-from-worker: a DataLoader worker sends device memory to its parent. The worker would have to
 * keep it until every consumer is done, which a DataLoader does not ensure.
 */
#include "../../facts/processes.h"
#include "../rule.h"

static MESSAGE message_text = {
	"process {pid}, a DataLoader worker, exported {bytes} on {device} by {function} at {at}: "
	"the memory is freed when the worker ends, even if another process still reads it",
	{{STEP_EXPORT, "{thread} of the worker {pid} exported {bytes} of {memory} on {device}"}},
};

void rule_cuda_from_worker(const struct facts *facts, const struct trigger *trigger,
			   struct findings *out)
{
	const struct ipc_export *export = &facts->cuda.exports[trigger->index];

	if (export->ev.flags & MPSAN_IPC_WORKER || process_loads_data(facts, export->at.by))
		FIND_SHARED(out, cuda_from_worker, GRADE_WARNING, trigger, export->piece + 1, 0,
			    &message_text);
}
