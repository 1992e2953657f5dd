/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ipc-double-open: a process opened a handle that it already had open. A process has one mapping
 * per device: the second open fails, or returns the same address, and the first close then unmaps
 * it for both users. Openers that count, such as PyTorch, are not reported, nor are descriptors,
 * which the driver counts.
 */
#include "../rule.h"

static MESSAGE msg_failure = {
	"{function} failed with {result} at {at} in process {pid}, which already had the same "
	"memory open, opened at {opened_at} ({bytes} on {device} of process {producer})",
	{STEP_EXPORTED,
	 {STEP_IMPORT, "process {consumer} opened it first, by {open_function}"},
	 {STEP_CUDA, "{thread} opened it again, which failed with {result}"}},
};

static MESSAGE msg_pair = {
	"process {pid} opened memory by {function} at {at} that it already had open, opened at "
	"{opened_at} ({bytes} on {device} of process {producer}): the first close may unmap both",
	{STEP_EXPORTED,
	 {STEP_IMPORT, "process {consumer} opened it first, by {open_function}"},
	 {STEP_CUDA, "{thread} opened it again"}},
};

static bool is_counted(const struct ipc_import *import)
{
	return import->ev.memory == MPSAN_MEMORY_VMM || import->ev.memory == MPSAN_MEMORY_POOL ||
	       (!import->ev.result && import->ev.flags & (MPSAN_IPC_TORCH | MPSAN_IPC_AUTO));
}

void rule_ipc_double_open(const struct facts *facts, const struct trigger *trigger,
			  struct findings *out)
{
	const struct ipc_import *import = &facts->cuda.imports[trigger->index];
	bool again = import->again || import->ev.flags & MPSAN_IPC_AGAIN;

	if (!again || is_counted(import) || !import->piece ||
	    facts->cuda.pieces[import->piece - 1].owner == import->at.by)
		return;
	if (import->ev.result)
		FIND_SHARED(out, ipc_double_open, GRADE_ERROR, trigger, import->piece,
			    import->again, &msg_failure);
	else
		FIND_SHARED(out, ipc_double_open, GRADE_WARNING, trigger, import->piece,
			    import->again, &msg_pair);
}
