/*
 * cuda-from-worker: a data loader's worker hands device memory to its parent. The memory lives as long
 * as the worker and every consumer agree on it, which a data loader does not arrange.
 */
#include "../../facts/processes.h"
#include "../rule.h"

static MESSAGE message_text = {
	"process {pid}, a worker of a data loader, exported {bytes} on {device} by {function} at {at}: "
	"the memory ends with the worker, whoever still reads it",
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
