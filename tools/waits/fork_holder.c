/* SPDX-License-Identifier: Apache-2.0 */
/* Looks for the holder of a lock of Python's along a chain of forks. */
#include "fork_holder.h"

#include "../../shim/common/cpython/lock.h"
#include "../symbols/pyview.h"

#define FORKS_MAX 8u

static const struct mpsan_process *row_of(const struct snapshot *snapshot, uint32_t process)
{
	return &snapshot->reader->session.table[snapshot->processes.item[process].slot];
}

uint32_t fork_parent(const struct snapshot *snapshot, uint32_t process)
{
	const struct mpsan_process *row = row_of(snapshot, process);

	return row->parent && row->how == MPSAN_HOW_FORK ?
		       snapshot_process(snapshot, row->parent - 1) :
		       SNAPSHOT_NONE;
}

static const struct snapshot_thread *main_of(const struct snapshot *snapshot, uint32_t process)
{
	const struct snapshot_process *at = &snapshot->processes.item[process];

	for (uint32_t i = at->begin; i < at->end; i++)
		if (snapshot->threads.item[i].tid == at->pid)
			return &snapshot->threads.item[i];
	return NULL;
}

/* The thread that forked has the descriptor that the child's first thread has. */
uint32_t fork_forker(const struct snapshot *snapshot, uint32_t process)
{
	const struct snapshot_thread *first = main_of(snapshot, process);
	uint32_t parent = fork_parent(snapshot, process);
	const struct snapshot_process *at;

	if (parent == SNAPSHOT_NONE || !first || !first->record || !first->record->pthread)
		return 0;
	at = &snapshot->processes.item[parent];
	for (uint32_t i = at->begin; i < at->end; i++)
		if (snapshot->threads.item[i].record &&
		    snapshot->threads.item[i].record->pthread == first->record->pthread)
			return snapshot->threads.item[i].own_tid;
	return 0;
}

/* ---- the lock ---- */

/* The handle of the thread that the lock itself names as its owner: RLock, files; 0: none. */
static uint64_t named_owner(const struct snapshot_thread *waiter, uint64_t lock)
{
	struct pyview *view = pyview_open((pid_t)waiter->pid);
	uint64_t owner =
		view && waiter->record ? pyview_lock_owner(view, waiter->record->pthread, lock) : 0;

	pyview_close(view);
	return owner;
}

/* Whether a process has this lock locked: a PyMutex, or the value of a semaphore. */
static bool is_locked(uint32_t pid, uint64_t lock, bool mutex)
{
	uint32_t value;
	uint8_t byte;

	if (mutex)
		return proc_peek(pid, lock, &byte, sizeof(byte)) && byte & CPYTHON_MUTEX_LOCKED;
	return proc_peek(pid, lock, &value, sizeof(value)) && !value;
}

/* ---- the holder ---- */

/* A thread that has begun since the fork was not there to be copied. */
static bool is_as_old(const struct snapshot_thread *thread, uint64_t child_start)
{
	return proc_stat(thread->pid, thread->tid).start <= child_start;
}

/* Of the parent of this child, other than the one that forked. `owner`: what the lock names; 0: nothing. */
static const struct snapshot_thread *holder_in_parent(const struct snapshot *snapshot,
						      struct pyview *view, uint32_t child,
						      uint64_t lock, uint64_t owner)
{
	uint32_t parent = fork_parent(snapshot, child), forker = fork_forker(snapshot, child);
	uint32_t pid = snapshot->processes.item[child].pid;
	uint64_t start = proc_stat(pid, pid).start;

	for (uint32_t i = snapshot->processes.item[parent].begin;
	     i < snapshot->processes.item[parent].end; i++) {
		const struct snapshot_thread *thread = &snapshot->threads.item[i];
		uint64_t handle = thread->record ? thread->record->pthread : 0;

		if (handle && thread->own_tid != forker &&
		    (owner ? handle == owner : pyview_lock_in_with(view, handle, lock)) &&
		    is_as_old(thread, start))
			return thread;
	}
	return NULL;
}

struct fork_holder fork_holder_find(const struct snapshot *snapshot,
				    const struct snapshot_thread *waiter, uint64_t lock, bool mutex)
{
	uint64_t owner = named_owner(waiter, lock);
	uint32_t child = waiter->process, parent = fork_parent(snapshot, child);
	struct fork_holder holder = {0};
	struct pyview *view;

	for (unsigned i = 0; i < FORKS_MAX && parent != SNAPSHOT_NONE && !holder.thread; i++) {
		uint32_t pid = snapshot->processes.item[parent].pid;

		if (!owner && !is_locked(pid, lock, mutex))
			break;
		view = pyview_open((pid_t)pid);
		if (view)
			holder.thread = holder_in_parent(snapshot, view, child, lock, owner);
		pyview_close(view);
		holder.fork = row_of(snapshot, child)->fork_pos;
		child = parent;
		parent = fork_parent(snapshot, child);
	}
	return holder;
}
