/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ipc-reexported: a process exported memory that it had itself received. The handle refers to its
 * mapping, not to the memory: the export fails, or the handle ends with the process in the middle.
 * Descriptors are different: each process that has one keeps the memory alive.
 */
#include "../rule.h"

static MESSAGE msg_known = {
	"process {pid} exported memory by {function} at {at} that belongs to process {producer} "
	"({bytes} on {device}): received memory cannot be exported again",
	{STEP_EXPORTED,
	 {STEP_IMPORT, "process {consumer} opened it, by {open_function}"},
	 STEP_EXPORTED_AGAIN},
};

static MESSAGE msg_unknown = {
	"process {pid} exported memory by {function} at {at} that belongs to another process: "
	"received memory cannot be exported again",
	{STEP_EXPORTED_AGAIN},
};

static MESSAGE msg_shared = {
	"process {pid} exported memory by {function} at {at} that it had received: such memory "
	"lives as long as any process has it open, but its producer does not know which do",
	{STEP_EXPORTED_AGAIN},
};

static void ipc_reexported_judge(const struct facts *facts, const struct trigger *trigger,
				 struct findings *out, const struct fact_place *at,
				 uint64_t address)
{
	uint32_t import = ipc_import_around(facts, at->by, address, at->time_ns);
	uint32_t piece = import ? facts->cuda.imports[import - 1].piece : 0;

	FIND_SHARED(out, ipc_reexported, GRADE_ERROR, trigger, piece, import,
		    piece ? &msg_known : &msg_unknown);
}

void rule_ipc_reexported(const struct facts *facts, const struct trigger *trigger,
			 struct findings *out)
{
	if (trigger->kind == TRIGGER_EXPORT) {
		const struct ipc_export *export = &facts->cuda.exports[trigger->index];

		if (!(export->ev.flags & MPSAN_IPC_IMPORTED))
			return;
		if (export->ev.memory == MPSAN_MEMORY_VMM)
			FIND_SHARED(out, ipc_reexported, GRADE_NOTE, trigger, 0, 0, &msg_shared);
		else
			ipc_reexported_judge(facts, trigger, out, &export->at, export->ev.base);
	} else {
		const struct ipc_refused *refused = &facts->cuda.refuseds[trigger->index];

		if (refused->ev.memory == MPSAN_MEMORY_IMPORTED && !refused->ev.other)
			ipc_reexported_judge(facts, trigger, out, &refused->at,
					     refused->ev.address);
	}
}
