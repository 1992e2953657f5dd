/* SPDX-License-Identifier: Apache-2.0 */
/* Finds who keeps the other end of a pipe open. */
#include "pipe_holders.h"

#include <stdlib.h>

#include "../facts/processes.h"
#include "../proc/calls.h"
#include "../proc/pipes.h"

/* A process that does nothing else. Others may be parked until they are interrupted. */
static bool only_reads(const struct waits *waits, const struct snapshot_process *process)
{
	for (uint32_t i = process->begin; i < process->end; i++)
		if (waits->item.item[i].kind != MPSAN_WAIT_PIPE_READ)
			return false;
	return true;
}

uint32_t pipe_holder(const struct waits *waits, uint32_t thread)
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

/* ---- in words ---- */

#define NAMED 4u /* processes */

static bool is_at_pipe(const struct wait *wait)
{
	return wait->end == WAIT_PROCESSES && !wait->by_job &&
	       wait_kind(wait->kind)->flow != FLOW_NO;
}

/* The other end of what it waits for. */
static struct pipe_id other_end(const struct snapshot_thread *thread)
{
	const struct snapshot_object *object = &thread->object;

	return object->kind == PIPE_SOCKET ?
		       (struct pipe_id){PIPE_SOCKET, 0, object->peer} :
		       (struct pipe_id){object->kind, object->device, object->inode};
}

/* Whether the process was listed before: one may hold both ends. */
static bool is_repeated(const struct waits *waits, const struct wait *wait, uint32_t i)
{
	const uint32_t *who = &waits->who.item[wait->begin];

	for (uint32_t k = 0; k < i; k++)
		if (who[k] == who[i])
			return true;
	return false;
}

static char *holders_text(const struct waits *waits, const struct snapshot_thread *thread,
			  const struct wait *wait, unsigned ends)
{
	const struct snapshot *snapshot = waits->snapshot;
	const struct pipe_id id = other_end(thread);
	uint32_t named = 0, more = 0;
	char *list = text_copy("");

	for (uint32_t i = 0; i < wait->count; i++) {
		uint32_t process = waits->who.item[wait->begin + i];
		const struct snapshot_process *at = &snapshot->processes.item[process];
		char *fds = is_repeated(waits, wait, i) ? NULL : pipe_fds(at->pid, &id, ends);

		if (fds && named++ < NAMED)
			list = text_join(list, ", ",
					 text_format("process %u (%s)",
						     snapshot->reader->session.table[at->slot].pid,
						     fds));
		else
			more += fds != NULL;
		free(fds);
	}
	return more ? text_join(list, " ", text_format("and %u more", more)) : list;
}

char *pipe_text(const struct waits *waits, uint32_t thread)
{
	const struct wait *wait = &waits->item.item[thread];
	const struct snapshot_thread *at = &waits->snapshot->threads.item[thread];
	bool reads = wait_is_read(wait);
	AUTO_FREE char *holders = NULL;

	if (!is_at_pipe(wait) || call_is_poll(&at->call))
		return text_copy("");
	holders = holders_text(waits, at, wait, reads ? PIPE_END_WRITE : PIPE_END_READ);
	return *holders ? text_format("fd %d, whose other end is open in %s", (int)at->call.arg[0],
				      holders) :
			  text_copy("");
}
