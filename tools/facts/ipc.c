/* SPDX-License-Identifier: Apache-2.0 */
/* Queries about CUDA memory between processes: who has it open, since when, until when. */
#include "ipc.h"

#include <stddef.h>

#define CONTEXTS_MAX 4096u
#define IMPORTS_MAX 65536u /* examined per query */

enum cuda_end cuda_end(const struct facts *facts, uint32_t slot)
{
	const struct fact_process *process = &facts->processes[slot];

	if (process->slot->flags & MPSAN_PROCESS_REPLACED)
		return CUDA_END_EXEC;
	if (!process->gone || process->stayed)
		return CUDA_END_NOT;
	if (process->slot->end == MPSAN_END_SIGNAL)
		return CUDA_END_KILLED;
	if (process->slot->end == MPSAN_END_EXIT)
		return CUDA_END_EXIT;
	/* No record after an exec: the new program was not watched. */
	return process->slot->exec_ns > process->slot->attach_ns ? CUDA_END_EXEC : CUDA_END_SILENT;
}

uint64_t cuda_end_ns(const struct facts *facts, uint32_t slot)
{
	switch (cuda_end(facts, slot)) {
	case CUDA_END_NOT:
		return 0;
	case CUDA_END_EXEC:
		return facts->processes[slot].slot->exec_ns;
	default:
		return facts->processes[slot].gone_ns;
	}
}

uint32_t cuda_init_before(const struct facts *facts, uint32_t slot, uint64_t time_ns)
{
	EACH_ANCESTOR(facts, slot) {
		const struct mpsan_process *process = facts->processes[slot].slot;
		uint32_t init = facts->cuda.parties ? facts->cuda.parties[slot].init : 0;

		if (init && facts->cuda.inits[init - 1].at.time_ns <= time_ns)
			return init;
		if (!fact_how_copies(process->how))
			return 0;
		time_ns = process->birth_ns;
	}
	return 0;
}

uint32_t cuda_fork_after(const struct facts *facts, uint32_t init, uint32_t slot)
{
	if (init)
		EACH_ANCESTOR(facts, slot)
			if (facts->processes[slot].slot->parent ==
			    facts->cuda.inits[init - 1].at.by + 1)
				break;
	for (uint32_t i = facts->fork_count; i-- > 0 && slot < facts->process_count;)
		if (facts->forks[i].child == slot)
			return i;
	return FACT_NONE;
}

uint64_t cuda_launch_ns(const struct facts *facts, uint32_t slot, uint64_t time_ns)
{
	uint64_t first = facts->processes[slot].exec_ns;

	if (first < time_ns)
		first = 0;
	for (uint32_t at = facts->processes[slot].children; at;
	     at = facts->processes[at - 1].sibling) {
		const struct fact_process *child = &facts->processes[at - 1];

		if (child->slot->birth_ns >= time_ns &&
		    (!fact_how_copies(child->slot->how) || child->exec_ns))
			first = fact_sooner(first, child->slot->birth_ns);
	}
	return first;
}

/* Whether its process has a context on another device as well. */
static bool is_beside(const struct cuda_facts *cuda, const struct fact_cuda_context *context)
{
	for (uint32_t i = 0; i < cuda->context_count; i++)
		if (cuda->contexts[i].at.by == context->at.by && cuda->contexts[i].ev.device)
			return true;
	return false;
}

uint32_t cuda_crowd(const struct facts *facts, uint32_t *first)
{
	const struct cuda_facts *cuda = &facts->cuda;
	uint32_t count = 0;

	for (uint32_t i = 0; i < cuda->context_count && i < CONTEXTS_MAX; i++) {
		const struct fact_cuda_context *context = &cuda->contexts[i];

		if (context->ev.device || !context->ev.gpu || !is_beside(cuda, context))
			continue;
		if (!count)
			*first = i + 1;
		count += context->ev.gpu == cuda->contexts[*first - 1].ev.gpu;
	}
	return count;
}

uint64_t ipc_close_ns(const struct facts *facts, const struct ipc_import *import)
{
	return fact_sooner(import->close_ns, cuda_end_ns(facts, import->at.by));
}

bool ipc_is_open(const struct facts *facts, const struct ipc_import *import, uint64_t time_ns)
{
	uint64_t close = ipc_close_ns(facts, import);

	return !import->ev.result && import->at.time_ns <= time_ns && (!close || close > time_ns);
}

/*
 * Whether it logged its own end, unlike a process that lives, was killed, or called _exit as a raw
 * system call: of these, others see the end some time after it.
 */
static bool logged_its_end(const struct facts *facts, uint32_t slot)
{
	enum cuda_end how = cuda_end(facts, slot);

	return how == CUDA_END_EXEC ||
	       (how == CUDA_END_EXIT && !(facts->processes[slot].slot->flags &
					  (MPSAN_PROCESS_WAITED | MPSAN_PROCESS_OBSERVED)));
}

/*
 * A process that neither closed the memory nor logged its end counts as alive until it was last
 * seen to be, and no longer: the kernel closes its mappings before the end is visible.
 */
bool ipc_is_surely_open(const struct facts *facts, const struct ipc_import *import,
			uint64_t time_ns)
{
	const struct fact_process *process = &facts->processes[import->at.by];

	if (!ipc_is_open(facts, import, time_ns))
		return false;
	if (process->lossy)
		return import->close_ns != 0;
	return import->close_ns || logged_its_end(facts, import->at.by) ||
	       process->seen_ns >= time_ns;
}

const struct ipc_piece *ipc_piece_of(const struct facts *facts, const struct ipc_import *import)
{
	return import->piece ? &facts->cuda.pieces[import->piece - 1] : NULL;
}

bool ipc_was_left(const struct facts *facts, const struct ipc_import *import)
{
	return !import->ev.result && !import->close_ns && !facts->processes[import->at.by].lossy &&
	       (!import->again || facts->cuda.imports[import->again - 1].close_ns);
}

bool ipc_was_tried(const struct facts *facts, const struct ipc_piece *piece, uint64_t time_ns)
{
	EACH_USE(facts, piece, at)
		if (facts->cuda.imports[at - 1].at.time_ns <= time_ns)
			return true;
	return piece->memory == MPSAN_MEMORY_VMM && facts->cuda.nameless_ns > piece->born_ns;
}

uint32_t ipc_user(const struct facts *facts, const struct ipc_piece *piece, uint64_t time_ns)
{
	uint32_t first = 0;

	EACH_USE(facts, piece, at) {
		const struct ipc_import *import = &facts->cuda.imports[at - 1];

		if (import->at.by != piece->owner && ipc_is_surely_open(facts, import, time_ns))
			first = at;
	}
	return first;
}

bool ipc_outlives(const struct ipc_piece *piece)
{
	return piece->memory == MPSAN_MEMORY_VMM;
}

bool ipc_counts(const struct ipc_piece *piece)
{
	return piece->memory != MPSAN_MEMORY_POOL;
}

uint32_t ipc_import_around(const struct facts *facts, uint32_t slot, uint64_t address,
			   uint64_t time_ns)
{
	uint32_t work = IMPORTS_MAX;

	EACH_IMPORT(facts, slot, at) {
		const struct ipc_import *import = &facts->cuda.imports[at - 1];

		if (!import->ev.result && import->at.time_ns <= time_ns &&
		    address >= import->ev.address &&
		    address - import->ev.address < (import->ev.bytes ? import->ev.bytes : 1))
			return at;
		if (!work--)
			break;
	}
	return 0;
}
