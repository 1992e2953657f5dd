/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds what ended threads and workers left behind: gaps in Python's registers, zombies that were
 * forked and have not exec'd, and stacks that the C library keeps for the next thread.
 */
#include "outside.h"

#include <string.h>

#include "../proc/procmaps.h"
#include "../symbols/pyview.h"

static const struct mpsan_process *has_ended_row(const struct snapshot *snapshot, uint32_t slot)
{
	return &snapshot->reader->session.table[slot];
}

/* ---- stacks of threads ---- */

/* Whether a living thread of a process has that descriptor, or one that is not known. */
static bool is_living(const struct snapshot *snapshot, const struct snapshot_process *process,
		      uint64_t descriptor)
{
	for (uint32_t i = process->begin; i < process->end; i++) {
		const struct mpsan_thread *record = snapshot->threads.item[i].record;

		if (!record || !record->pthread || record->pthread == descriptor)
			return true;
	}
	return false;
}

/* A stack follows the pages that guard its end. */
static bool keeps_stack(const struct snapshot *snapshot, const struct snapshot_process *process)
{
	struct procmaps_walk walk = procmaps_begin(process->pid);
	uint64_t guarded = 0, descriptor;
	bool found = false;

	while (!found && procmaps_next(&walk)) {
		const struct procmap *at = &walk.at;

		descriptor = !at->inode && !strcmp(at->rights, "rw-p") && at->start == guarded ?
				     outside_descriptor_below(process->pid, at->end) :
				     0;
		found = descriptor && !is_living(snapshot, process, descriptor);
		guarded = !at->inode && !strcmp(at->rights, "---p") ? at->end : 0;
	}
	procmaps_end(&walk);
	return found;
}

/* ---- threads ---- */

static bool python_ended(const struct snapshot_thread *than)
{
	AUTO_FREE struct pyview *view = pyview_open((pid_t)than->pid);

	return view && than->record && pyview_thread_ended(view, than->record->pthread);
}

/* Of stacks it is not known which began when; a forked child has those of its parent's threads. */
bool has_ended_thread(const struct snapshot *snapshot, const struct snapshot_thread *than)
{
	const struct mpsan_process *row = has_ended_row(snapshot, than->slot);

	if (row->python)
		return python_ended(than);
	return than->tid == than->pid && row->how != MPSAN_HOW_FORK &&
	       keeps_stack(snapshot, &snapshot->processes.item[than->process]);
}

/* ---- workers ---- */

struct workers {
	uint32_t except;
	uint64_t since; /* ticks */
	bool ended;
};

static void see_child(uint32_t pid, void *context)
{
	struct workers *workers = context;
	struct proc_stat stat = proc_stat(pid, pid);

	workers->ended |= pid != workers->except && proc_stat_ended(&stat) && stat.forked &&
			  stat.start >= workers->since;
}

static bool reaped(const struct snapshot *snapshot, uint32_t process)
{
	const struct snapshot_process *at = &snapshot->processes.item[process];
	AUTO_FREE struct pyview *view = pyview_open((pid_t)at->pid);
	bool found = false;

	for (uint32_t i = at->begin; view && !found && i < at->end; i++)
		found = snapshot->threads.item[i].record &&
			pyview_worker_ended(view, snapshot->threads.item[i].record->pthread);
	return found;
}

bool has_ended_worker(const struct snapshot *snapshot, uint32_t slot)
{
	const struct mpsan_process *row = has_ended_row(snapshot, slot);
	uint32_t pid = session_pid(&snapshot->reader->session, slot),
		 process = snapshot_process(snapshot, slot);
	struct workers own = {0}, siblings = {.except = pid, .since = proc_stat(pid, pid).start};

	proc_children(pid, see_child, &own);
	if (row->parent)
		proc_children(session_pid(&snapshot->reader->session, row->parent - 1), see_child,
			      &siblings);
	return own.ended || siblings.ended ||
	       (row->python && process != SNAPSHOT_NONE && reaped(snapshot, process));
}
