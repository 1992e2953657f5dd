/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ipc-not-closed: a process exited with memory of another process still open. The driver closes it
 * then, but a process that lives on would keep it. Caches do this on purpose, PyTorch's among them.
 */
#include "../rule.h"

static MESSAGE message_text = {
	"process {consumer} {end} with {bytes} of process {producer} on {device} open|, |which it had opened at "
	"{opened_at} by {open_function} and never closed",
	{STEP_EXPORTED,
	 {STEP_IMPORT, "process {consumer} opened it, by {open_function}"},
	 {STEP_GONE, "process {consumer} {end}"}},
};

/* Whether the memory still existed at that time. */
static bool ipc_not_closed_is_there(const struct facts *facts, const struct ipc_piece *piece,
				    uint64_t time_ns)
{
	uint64_t end = cuda_end_ns(facts, piece->owner);

	return (!end || end > time_ns) && (!piece->end_ns || piece->end_ns > time_ns);
}

void rule_ipc_not_closed(const struct facts *facts, const struct trigger *trigger,
			 struct findings *out)
{
	enum cuda_end how = cuda_end(facts, trigger->index);
	uint64_t end_ns = cuda_end_ns(facts, trigger->index);

	if (how != CUDA_END_EXIT && how != CUDA_END_EXEC)
		return;
	EACH_IMPORT(facts, trigger->index, at) {
		const struct ipc_import *import = &facts->cuda.imports[at - 1];
		const struct ipc_piece *piece = ipc_piece_of(facts, import);

		if (piece && ipc_counts(piece) && piece->owner != import->at.by &&
		    ipc_was_left(facts, import) && ipc_not_closed_is_there(facts, piece, end_ns))
			FIND_SHARED(out, ipc_not_closed,
				    import->ev.flags & MPSAN_IPC_TORCH ? GRADE_NOTE : GRADE_WARNING,
				    trigger, import->piece, at, &message_text);
	}
}
