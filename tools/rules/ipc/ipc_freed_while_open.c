/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ipc-freed-while-open: the owner freed memory while another process had it mapped, or before that
 * process opened it. Device memory has no reference count across processes: the consumer reads
 * whatever is allocated there next. Only memory that is passed by file descriptor stays until the
 * last process releases it.
 */
#include "../rule.h"

static const char exported[] = "process {producer} exported {bytes} of {memory} on {device}";
static const char freed[] = "{thread} of process {producer} freed it by {function}";

static MESSAGE msg_use = {
	"process {pid} freed {bytes} on {device} by {function} at {at} while {consumers} had it "
	"open: their mappings now lead to no allocation, or to another one",
	{{STEP_EXPORT, exported},
	 {STEP_IMPORTS, "process {consumer} opened it here and still had it open"},
	 {STEP_CUDA, freed}},
};

static MESSAGE msg_kept = {
	"process {pid} freed {bytes} on {device} by {function} at {at} while {consumers} had it "
	"open: such memory stays allocated until they close it",
	{{STEP_EXPORT, exported},
	 {STEP_IMPORTS, "process {consumer} opened it here and still had it open"},
	 {STEP_CUDA, freed}},
};

static MESSAGE msg_nobody = {
	"process {pid} freed {bytes} on {device} by {function} at {at}, which it had exported at "
	"{exported_at} and no process had opened: an open of that handle fails from now on",
	{{STEP_EXPORT, exported}, {STEP_CUDA, freed}},
};

static MESSAGE msg_stale = {
	"{function} failed with {result} at {at} in process {pid}: process {producer} had freed that memory ({bytes} "
	"on {device}[, exported at {exported_at}]) {late} earlier",
	{{STEP_EXPORT, exported},
	 {STEP_FREE, "process {producer} freed it"},
	 {STEP_CUDA, "{thread} of process {pid} tried to open it"}},
};

static void judge_piece(const struct facts *facts, const struct trigger *trigger,
			struct findings *out, uint32_t index)
{
	const struct ipc_piece *piece = &facts->cuda.pieces[index - 1];
	uint32_t user = ipc_user(facts, piece, piece->end_ns);

	if (!ipc_counts(piece))
		return;
	if (user && proof_rule_free(piece->memory) == RULE_ipc_freed_while_open)
		FIND_SHARED(out, ipc_freed_while_open, GRADE_ERROR, trigger, index, user, &msg_use);
	else if (user)
		FIND_SHARED(out, ipc_freed_while_open, GRADE_NOTE, trigger, index, user, &msg_kept);
	else if (piece->by_export && !ipc_outlives(piece) &&
		 !ipc_was_tried(facts, piece, piece->end_ns))
		FIND_SHARED(out, ipc_freed_while_open, facts->blind ? GRADE_NOTE : GRADE_WARNING,
			    trigger, index, 0, &msg_nobody);
}

/* The open of a handle whose memory had been freed. */
static void judge_import(const struct facts *facts, const struct trigger *trigger,
			 struct findings *out)
{
	const struct ipc_import *import = &facts->cuda.imports[trigger->index];
	const struct ipc_piece *piece = ipc_piece_of(facts, import);

	if (piece && import->ev.result && piece->end_ns && piece->end_ns < import->at.time_ns)
		FIND_SHARED(out, ipc_freed_while_open, GRADE_ERROR, trigger, import->piece, 0,
			    &msg_stale);
}

void rule_ipc_freed_while_open(const struct facts *facts, const struct trigger *trigger,
			       struct findings *out)
{
	uint32_t at;

	if (trigger->kind == TRIGGER_IPC_OPEN) {
		judge_import(facts, trigger, out);
		return;
	}
	for (at = facts->cuda.frees[trigger->index].piece; at;
	     at = facts->cuda.pieces[at - 1].free_more)
		judge_piece(facts, trigger, out, at);
}
