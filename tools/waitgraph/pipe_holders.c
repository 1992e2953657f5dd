/* SPDX-License-Identifier: Apache-2.0 */
/* Finds who keeps the other end of a pipe open, or a file locked. */
#include "pipe_holders.h"

#include <stdlib.h>

#include "../facts/processes.h"
#include "../proc/calls.h"
#include "../proc/file_locks.h"
#include "../proc/pipes.h"
#include "../proc/ready_ends.h"

/* A process that does nothing else. Others may be parked until they are interrupted. */
static bool only_reads(const struct waits *waits, const struct snapshot_process *process)
{
	for (uint32_t i = process->begin; i < process->end; i++)
		if (waits->item.item[i].kind != MPSAN_WAIT_PIPE_READ)
			return false;
	return true;
}

uint32_t pipe_only(const struct waits *waits, uint32_t thread)
{
	const struct wait *wait = &waits->item.item[thread];
	const uint32_t *who;
	struct file_lock lock;

	if (wait->kind == MPSAN_WAIT_FILE_LOCK && wait->tries)
		return file_lock_held(wait->lock, &lock) ?
			       snapshot_process_of_pid(waits->snapshot, lock.pid) :
			       SNAPSHOT_NONE;
	if (wait->end != WAIT_PROCESSES || !wait->count)
		return SNAPSHOT_NONE;
	who = &waits->who.item[wait->begin];
	for (uint32_t i = 1; i < wait->count; i++)
		if (who[i] != who[0])
			return SNAPSHOT_NONE;
	return who[0];
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

static char *holders_text(const struct waits *waits, const struct pipe_id *id,
			  const struct wait *wait, unsigned ends)
{
	const struct snapshot *snapshot = waits->snapshot;
	uint32_t named = 0, more = 0;
	char *list = text_copy("");

	for (uint32_t i = 0; i < wait->count; i++) {
		uint32_t process = waits->who.item[wait->begin + i];
		const struct snapshot_process *at = &snapshot->processes.item[process];
		char *fds = is_repeated(waits, wait, i) ? NULL : pipe_fds(at->pid, id, ends);

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

/* "fd 3, whose other end is open in process 12 (fd 4); eventfd 5": what a call waits for to be ready. */
static char *ready_text(const struct waits *waits, const struct snapshot_thread *thread,
			const struct wait *wait)
{
	struct awaited_fds fds;
	char *list = text_copy("");

	if (!awaited_fds_read(&fds, thread->pid, thread->tid, &thread->call) || fds.count > NAMED)
		return list;
	for (uint32_t i = 0; i < fds.count; i++) {
		const int fd = fds.item[i].fd;
		const struct pipe_id id = pipe_of(thread->tid, fd);
		char *holders =
			id.kind == PIPE_ANONYMOUS ?
				holders_text(waits, &id, wait, pipe_other_ends(thread->tid, fd)) :
				text_copy("");

		list = text_join(list, "; ",
				 text_format("%s%d%s%s", id.kind == PIPE_EVENT ? "eventfd " : "fd ",
					     fd, *holders ? ", whose other end is open in " : "",
					     holders));
		free(holders);
	}
	return list;
}

/* Of another process than its own a lock of fcntl, too: its own never keeps a process from taking one. */
static char *lock_text(const struct waits *waits, uint32_t thread)
{
	const struct snapshot *snapshot = waits->snapshot;
	uint32_t process = pipe_only(waits, thread);

	if (process == SNAPSHOT_NONE)
		return text_copy("");
	if (process == snapshot->threads.item[thread].process)
		return text_copy("held by its own process, through another descriptor");
	return text_format(
		"held by process %u",
		snapshot->reader->session.table[snapshot->processes.item[process].slot].pid);
}

char *pipe_text(const struct waits *waits, uint32_t thread)
{
	const struct wait *wait = &waits->item.item[thread];
	const struct snapshot_thread *at = &waits->snapshot->threads.item[thread];
	const struct pipe_id id = other_end(at);
	AUTO_FREE char *holders = NULL;

	if (wait->kind == MPSAN_WAIT_FILE_LOCK)
		return lock_text(waits, thread);
	if (wait->kind == MPSAN_WAIT_READY && wait->end == WAIT_PROCESSES && !wait->by_job)
		return ready_text(waits, at, wait);
	if (!is_at_pipe(wait) || call_is_poll(&at->call))
		return text_copy("");
	holders =
		holders_text(waits, &id, wait, wait_is_read(wait) ? PIPE_END_WRITE : PIPE_END_READ);
	return *holders ? text_format("fd %d, whose other end is open in %s", (int)at->call.arg[0],
				      holders) :
			  text_copy("");
}
