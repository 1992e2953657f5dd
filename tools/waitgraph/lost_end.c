/* SPDX-License-Identifier: Apache-2.0 */
/* Finds siblings that inherited the write end of a pipe. */
#include "lost_end.h"

#include "../facts/processes.h"

/* A process that does nothing else. Others may be parked until they are interrupted. */
static bool only_reads(const struct waits *waits, const struct snapshot_process *process)
{
	for (uint32_t i = process->begin; i < process->end; i++)
		if (waits->item.item[i].kind != MPSAN_WAIT_PIPE_READ)
			return false;
	return true;
}

uint32_t lost_end_holder(const struct waits *waits, uint32_t thread)
{
	const struct snapshot *snapshot = waits->snapshot;
	const struct wait *wait = &waits->item.item[thread];
	uint32_t own = snapshot->threads.item[thread].process, found = SNAPSHOT_NONE,
		 reader = snapshot->threads.item[thread].slot;

	if (wait->kind != MPSAN_WAIT_PIPE_READ || wait->end != WAIT_PROCESSES || wait->by_job)
		return SNAPSHOT_NONE;
	for (uint32_t i = 0; i < wait->count; i++) {
		uint32_t process = waits->who.item[wait->begin + i];
		const struct snapshot_process *at = &snapshot->processes.item[process];

		if (process == own)
			continue;
		if (!process_is_later_sibling(&snapshot->reader->facts, at->slot, reader) ||
		    !only_reads(waits, at))
			return SNAPSHOT_NONE;
		found = process;
	}
	return found;
}
