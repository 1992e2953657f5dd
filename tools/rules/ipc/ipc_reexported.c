/*
 * ipc-reexported: a process made a handle of memory that it had itself received. The handle is of its
 * mapping, not of the memory: it fails, or ends with the process in the middle. Descriptors of mapped
 * memory are another matter: whoever has one keeps the memory.
 */
#include "../rule.h"

static MESSAGE msg_known = {
	"process {pid} exported memory by {function} at {at} that belongs to process {producer} ({bytes} "
	"on {device}): received memory cannot be handed on",
	{STEP_EXPORTED,
	 {STEP_IMPORT, "process {consumer} opened it, by {open_function}"},
	 STEP_EXPORTED_AGAIN},
};

static MESSAGE msg_unknown = {
	"process {pid} exported memory by {function} at {at} that belongs to another process: received "
	"memory cannot be handed on",
	{STEP_EXPORTED_AGAIN},
};

static MESSAGE msg_shared = {
	"process {pid} exported memory by {function} at {at} that it had received: such memory lives as "
	"long as anybody has it, but its producer does not know who does",
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
