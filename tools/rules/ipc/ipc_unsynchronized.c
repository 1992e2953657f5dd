/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ipc-unsynchronized: a handle was sent while work on the device was still queued, and opened
 * without any event between the two processes. The consumer may read the previous contents.
 */
#include "../rule.h"

static MESSAGE message_text = {
	"process {pid} opened {bytes} of process {producer} at {at}; at its export at "
	"{exported_at} work was still queued, and no event tells the consumer when it is done",
	{{STEP_EXPORT, "process {producer} exported {bytes} on {device} with work still queued"},
	 {STEP_CUDA, "{thread} of process {pid} opened it"}},
};

void rule_ipc_unsynchronized(const struct facts *facts, const struct trigger *trigger,
			     struct findings *out)
{
	const struct ipc_import *import = &facts->cuda.imports[trigger->index];
	const struct ipc_piece *piece = ipc_piece_of(facts, import);

	if (piece && !import->ev.result && !import->before && !import->signalled &&
	    (piece->flags & (MPSAN_IPC_UNSYNCED | MPSAN_IPC_TORCH)) == MPSAN_IPC_UNSYNCED)
		FIND_SHARED(out, ipc_unsynchronized, GRADE_NOTE, trigger, import->piece, 0,
			    &message_text);
}
