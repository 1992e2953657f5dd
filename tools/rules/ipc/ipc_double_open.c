/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ipc-double-open: a process opened a handle that it already had open. A process has one mapping
 * per device: the second open fails, or returns the same address, and the first close then unmaps
 * it for both users. Openers that count, such as PyTorch, are not reported, nor are descriptors,
 * which the driver counts. A driver that counts handles refuses now and then an open that meets one
 * of another thread: it has let this process open a handle twice, or the first open was not over.
 */
#include "../rule.h"

enum { ALREADY_MAPPED = 208, INVALID_HANDLE = 400 }; /* of CUDA */

static MESSAGE msg_failure = {
	"{function} failed with {result} at {at} in process {pid}|, |which already had the same memory open[, opened "
	"at {opened_at}] ({bytes} on {device} of process {producer})",
	{STEP_EXPORTED,
	 {STEP_IMPORT, "process {consumer} opened it first, by {open_function}"},
	 {STEP_CUDA, "{thread} opened it again, which failed with {result}"}},
};

static MESSAGE msg_race = {
	"{function} failed with {result} at {at} in process {pid}| |while another thread of it opened or closed the "
	"same memory ({bytes} on {device} of process {producer})",
	{STEP_EXPORTED, {STEP_CUDA, "{thread} opened it, which failed with {result}"}},
};

static MESSAGE msg_pair = {
	"process {pid} opened memory by {function} at {at} that it already had open[, opened at {opened_at}] ({bytes} "
	"on {device} of process {producer}): the first close may unmap both",
	{STEP_EXPORTED,
	 {STEP_IMPORT, "process {consumer} opened it first, by {open_function}"},
	 {STEP_CUDA, "{thread} opened it again"}},
};

static bool is_counted(const struct ipc_import *import)
{
	return import->ev.memory == MPSAN_MEMORY_VMM || import->ev.memory == MPSAN_MEMORY_POOL ||
	       (!import->ev.result && import->ev.flags & (MPSAN_IPC_TORCH | MPSAN_IPC_AUTO));
}

/*
 * Whether it failed because the memory was open already. Another context than the one that has it
 * open gets INVALID_HANDLE, which also stands for memory that has ended.
 */
static bool is_refused(const struct facts *facts, const struct ipc_import *import)
{
	const struct ipc_piece *piece = &facts->cuda.pieces[import->piece - 1];

	return import->ev.result == ALREADY_MAPPED ||
	       (import->again && import->ev.result == INVALID_HANDLE && !piece->end_ns &&
		!cuda_end_ns(facts, piece->owner));
}

/* Whether its driver counts, or the memory is not known to have been open before the call began. */
static bool is_race(const struct facts *facts, const struct ipc_import *import)
{
	if (import->ev.result == ALREADY_MAPPED && facts->cuda.parties[import->at.by].counts)
		return true;
	return import->ev.since &&
	       (!import->again ||
		facts->cuda.imports[import->again - 1].at.time_ns >= import->ev.since);
}

static void judge_failure(const struct facts *facts, const struct trigger *trigger,
			  struct findings *out, const struct ipc_import *import)
{
	if (!is_refused(facts, import))
		return;
	if (is_race(facts, import))
		FIND_SHARED(out, ipc_double_open, GRADE_WARNING, trigger, import->piece, 0,
			    &msg_race);
	else
		FIND_SHARED(out, ipc_double_open, GRADE_ERROR, trigger, import->piece,
			    import->again, &msg_failure);
}

void rule_ipc_double_open(const struct facts *facts, const struct trigger *trigger,
			  struct findings *out)
{
	const struct ipc_import *import = &facts->cuda.imports[trigger->index];

	if (is_counted(import) || !import->piece ||
	    facts->cuda.pieces[import->piece - 1].owner == import->at.by)
		return;
	if (import->ev.result)
		judge_failure(facts, trigger, out, import);
	else if (import->again || import->ev.flags & MPSAN_IPC_AGAIN)
		FIND_SHARED(out, ipc_double_open, GRADE_WARNING, trigger, import->piece,
			    import->again, &msg_pair);
}
