/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ipc-same-device: producer and consumer use the same device. Sharing saves a copy within the
 * device, but makes the memory's lifetime a matter between processes. A consumer that found the
 * memory through mpsan's registry has chosen that.
 */
#include "../rule.h"

static MESSAGE message_text = {
	"process {pid} opened {bytes} of process {producer} at {at}, both on {device}: a copy "
	"through the CPU would have no lifetime to manage",
	{STEP_EXPORTED, {STEP_CUDA, "{thread} of process {pid} opened it on the same device"}},
};

void rule_ipc_same_device(const struct facts *facts, const struct trigger *trigger,
			  struct findings *out)
{
	const struct ipc_import *import = &facts->cuda.imports[trigger->index];
	const struct ipc_piece *piece = ipc_piece_of(facts, import);

	if (piece && !import->ev.result && !(import->ev.flags & MPSAN_IPC_AUTO) &&
	    ipc_counts(piece) && piece->owner != import->at.by && piece->gpu &&
	    piece->gpu == import->ev.gpu)
		FIND_SHARED(out, ipc_same_device, GRADE_NOTE, trigger, import->piece, 0,
			    &message_text);
}
