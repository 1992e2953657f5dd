/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ipc-never-opened: a handle was created and never opened: its message was not read, or dropped.
 * PyTorch counts such a tensor as received only once the receiver rebuilds it, and keeps its memory
 * until then.
 */
#include "../rule.h"

static MESSAGE msg_leak = {
	"{bytes} on {device} of process {producer} were exported at {exported_at} and never "
	"opened: PyTorch keeps the memory until the tensor is received, so it was lost until the "
	"process ended",
	{STEP_EXPORTED},
};

static MESSAGE msg_doubt = {
	"{bytes} on {device} of process {producer} were exported by {export_function} at "
	"{exported_at} and never opened",
	{STEP_EXPORTED},
};

/*
 * A note if the message may still have been in transit, or if an unwatched process may have opened
 * it.
 */
static enum grade ipc_never_opened_grade_of(const struct facts *facts,
					    const struct ipc_piece *piece, uint64_t end_ns)
{
	if (facts->blind || piece->born_ns + CUDA_GRACE_NS > end_ns)
		return GRADE_NOTE;
	return piece->flags & MPSAN_IPC_TORCH ? GRADE_ERROR : GRADE_WARNING;
}

void rule_ipc_never_opened(const struct facts *facts, const struct trigger *trigger,
			   struct findings *out)
{
	uint64_t end_ns = cuda_end_ns(facts, trigger->index);

	end_ns = end_ns ? end_ns : facts->now_ns;
	EACH_PIECE(facts, trigger->index, at) {
		const struct ipc_piece *piece = &facts->cuda.pieces[at - 1];
		enum grade grade = ipc_never_opened_grade_of(facts, piece, end_ns);

		if (piece->by_export && !ipc_was_tried(facts, piece, end_ns) && !piece->end_ns &&
		    ipc_counts(piece) && !(piece->flags & (MPSAN_IPC_IMPORTED | MPSAN_IPC_AUTO)))
			FIND_SHARED(out, ipc_never_opened, grade, trigger, at, 0,
				    grade == GRADE_ERROR ? &msg_leak : &msg_doubt);
	}
}
