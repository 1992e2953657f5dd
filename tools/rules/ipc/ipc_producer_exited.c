/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ipc-producer-exited: the owner of memory ended while other processes had it open, or before they
 * opened it. The driver frees the memory of an ended process; its consumers keep invalid addresses.
 */
#include "../rule.h"

static const char exported[] = "process {producer} exported {bytes} of {memory} on {device}";
static const char open[] = "process {consumer} opened it here and still had it open";
static const char ended[] = "process {producer} {end}";

static MESSAGE msg_use = {
	"process {producer}, which owned {bytes} on {device}[, exported at {exported_at}], {end} while {consumers} "
	"had it open: the memory was freed with its owner",
	{{STEP_EXPORT, exported}, {STEP_IMPORTS, open}, {STEP_GONE, ended}},
};

static MESSAGE msg_order = {
	"process {producer}, which owned {bytes} on {device}[, exported at {exported_at}], {end} while {consumers} "
	"still had it open; all closed it within a second, so it may have done no harm",
	{{STEP_EXPORT, exported}, {STEP_IMPORTS, open}, {STEP_GONE, ended}},
};

static MESSAGE msg_kept = {
	"process {producer} {end} while {consumers} had {bytes} on {device} open, which it had "
	"exported at {exported_at}: such memory stays allocated until they close it",
	{{STEP_EXPORT, exported}, {STEP_IMPORTS, open}, {STEP_GONE, ended}},
};

static MESSAGE msg_late = {
	"{function} failed with {result} at {at} in process {pid}: process {producer}, which owned that memory "
	"({bytes} on {device}[, exported at {exported_at}]), {end} earlier",
	{{STEP_EXPORT, exported}, {STEP_CUDA, "{thread} of process {pid} tried to open it"}},
};

static MESSAGE msg_refusal = {
	"{function} failed with {result} at {at} in process {pid}: process {other}, which owned "
	"the memory, has ended",
	{{STEP_CUDA, "{thread} of process {pid} asked for a descriptor of process {other}"}},
};

/* Whether all processes that had it open at its owner's end closed it or ended soon after. */
static bool all_let_go(const struct facts *facts, const struct ipc_piece *piece, uint64_t end_ns)
{
	EACH_USE(facts, piece, at) {
		const struct ipc_import *import = &facts->cuda.imports[at - 1];
		uint64_t close = ipc_close_ns(facts, import);

		if (import->at.by != piece->owner && ipc_is_surely_open(facts, import, end_ns) &&
		    (close ? close : facts->now_ns) >= end_ns + CUDA_GRACE_NS)
			return false;
	}
	return true;
}

static void judge_piece(const struct facts *facts, const struct trigger *trigger,
			struct findings *out, uint32_t index)
{
	const struct ipc_piece *piece = &facts->cuda.pieces[index - 1];
	uint64_t end_ns = cuda_end_ns(facts, piece->owner);
	uint32_t user = piece->end_ns ? 0 : ipc_user(facts, piece, end_ns);

	if (!user || !ipc_counts(piece))
		return;
	if (ipc_outlives(piece))
		FIND_SHARED(out, ipc_producer_exited, GRADE_NOTE, trigger, index, user, &msg_kept);
	else if (all_let_go(facts, piece, end_ns))
		FIND_SHARED(out, ipc_producer_exited, GRADE_WARNING, trigger, index, user,
			    &msg_order);
	else
		FIND_SHARED(out, ipc_producer_exited, GRADE_ERROR, trigger, index, user, &msg_use);
}

/* The open of a handle whose owner had ended. */
static void judge_import(const struct facts *facts, const struct trigger *trigger,
			 struct findings *out)
{
	const struct ipc_import *import = &facts->cuda.imports[trigger->index];
	const struct ipc_piece *piece = ipc_piece_of(facts, import);
	uint64_t end_ns = piece && !piece->end_ns ? cuda_end_ns(facts, piece->owner) : 0;

	if (import->ev.result && end_ns && end_ns < import->at.time_ns)
		FIND_SHARED(out, ipc_producer_exited, GRADE_ERROR, trigger, import->piece, 0,
			    &msg_late);
}

void rule_ipc_producer_exited(const struct facts *facts, const struct trigger *trigger,
			      struct findings *out)
{
	if (trigger->kind == TRIGGER_IPC_OPEN) {
		judge_import(facts, trigger, out);
	} else if (trigger->kind == TRIGGER_REFUSED) {
		if (facts->cuda.refuseds[trigger->index].ev.cause == MPSAN_CAUSE_GONE)
			FIND_SHARED(out, ipc_producer_exited, GRADE_ERROR, trigger, 0, 0,
				    &msg_refusal);
	} else if (cuda_end_ns(facts, trigger->index)) {
		EACH_PIECE(facts, trigger->index, at)
			judge_piece(facts, trigger, out, at);
	}
}
