/*
 * ipc-same-device: producer and consumer work on one device. Sharing there saves a copy within the
 * device and buys every rule of lifetime between processes. Who found the memory through mpsan's
 * registry has made that choice.
 */
#include "../rule.h"

static MESSAGE message_text = {
	"process {pid} opened {bytes} of process {producer} at {at}, both on {device}: a copy through "
	"the CPU would have no lifetime to keep",
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
