/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ipc-self-open: a process opened the handle of its own memory, as happens when it puts a tensor
 * into a queue and gets it from the same queue. The driver refuses that for 64-byte handles; a
 * descriptor may be imported where it was created.
 */
#include "../rule.h"

static MESSAGE message_text = {
	"process {pid} opened its own memory by {function} at {at} ({bytes} on {device}[, exported at "
	"{exported_at}]): a handle is for other processes",
	{STEP_EXPORTED, {STEP_CUDA, "{thread} of the same process opened it, with {result}"}},
};

void rule_ipc_self_open(const struct facts *facts, const struct trigger *trigger,
			struct findings *out)
{
	const struct ipc_import *import = &facts->cuda.imports[trigger->index];
	const struct ipc_piece *piece = ipc_piece_of(facts, import);

	if (piece && piece->owner == import->at.by && !ipc_outlives(piece) && ipc_counts(piece))
		FIND_SHARED(out, ipc_self_open, import->ev.result ? GRADE_ERROR : GRADE_WARNING,
			    trigger, import->piece, 0, &message_text);
}
