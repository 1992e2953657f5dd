/* SPDX-License-Identifier: Apache-2.0 */
/* Looks for the holder of a lock of Python's along a chain of forks. */
#include "fork_holder.h"

#include "../../shim/common/cpython/lock.h"
#include "pythreads.h"

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
	AUTO_FREE struct pyview *view = pyview_open((pid_t)waiter->pid);
	uint64_t owner =
		view && waiter->record ? pyview_lock_owner(view, waiter->record->pthread, lock) : 0;

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

/* What is looked for in one ancestor after the other. */
struct search {
	const struct snapshot *snapshot;
	const struct snapshot_thread *waiter;
	uint64_t lock;
	uint64_t owner; /* what the lock names; 0: nothing */
	unsigned rank; /* of the waiter's own frames: it may have taken the lock itself */
	bool mutex;
};

/* A thread that is no younger than the child, and was not copied: it did not fork. */
static bool was_left(const struct snapshot *snapshot, const struct snapshot_thread *thread,
		     uint32_t child)
{
	uint32_t pid = snapshot->processes.item[child].pid;

	return thread->record && thread->record->pthread &&
	       thread->own_tid != fork_forker(snapshot, child) &&
	       proc_stat(thread->pid, thread->tid).start <= proc_stat(pid, pid).start;
}

/* Of a parent that `view` reads: the thread that holds the lock; NULL: none is known to. */
typedef const struct snapshot_thread *holder_seek(const struct search *search, struct pyview *view,
						  uint32_t child);

static const struct snapshot_thread *seek_owner(const struct search *search, struct pyview *view,
						uint32_t child)
{
	const struct snapshot *snapshot = search->snapshot;
	const struct snapshot_process *parent =
		&snapshot->processes.item[fork_parent(snapshot, child)];

	for (uint32_t i = parent->begin; i < parent->end; i++) {
		const struct snapshot_thread *thread = &snapshot->threads.item[i];
		uint64_t handle = thread->record ? thread->record->pthread : 0;

		if ((search->owner ? handle == search->owner :
				     pyview_lock_in_with(view, handle, search->lock)) &&
		    was_left(snapshot, thread, child))
			return thread;
	}
	return NULL;
}

static bool awaits(const struct search *search, struct pyview *view,
		   const struct snapshot_thread *thread)
{
	uint64_t wanted = MPSAN_TAG_ADDRESS(snapshot_wanted(thread).tag);

	return wanted && (wanted == search->lock ||
			  pyview_parked(view, thread->record->pthread, wanted) == search->lock);
}

static const struct snapshot_thread *seek_taker(const struct search *search, struct pyview *view,
						uint32_t child)
{
	const struct snapshot *snapshot = search->snapshot;
	const struct snapshot_process *parent =
		&snapshot->processes.item[fork_parent(snapshot, child)];
	const struct snapshot_thread *found = NULL;
	struct cpython_taker best = {.rank = search->rank};
	bool signals = false;

	for (uint32_t i = parent->begin; i < parent->end; i++) {
		const struct snapshot_thread *thread = &snapshot->threads.item[i];
		struct cpython_taker taker;

		if (!thread->record || awaits(search, view, thread))
			continue;
		taker = pyview_taker(view, thread->record->pthread, search->lock, false);
		signals |= taker.signals;
		if (!taker.called || taker.rank <= best.rank || !was_left(snapshot, thread, child))
			continue;
		best = taker;
		found = thread;
	}
	return best.entered || !signals ? found : NULL;
}

static struct fork_holder seek(const struct search *search, holder_seek *in_parent)
{
	const struct snapshot *snapshot = search->snapshot;
	uint32_t child = search->waiter->process, parent = fork_parent(snapshot, child);
	struct fork_holder holder = {0};
	struct pyview *view;

	for (unsigned i = 0; i < FORKS_MAX && parent != SNAPSHOT_NONE && !holder.thread; i++) {
		uint32_t pid = snapshot->processes.item[parent].pid;

		if (!search->owner && !is_locked(pid, search->lock, search->mutex))
			break;
		view = pyview_open((pid_t)pid);
		if (view)
			holder.thread = in_parent(search, view, child);
		free(view);
		holder.fork = row_of(snapshot, child)->fork_pos;
		child = parent;
		parent = fork_parent(snapshot, child);
	}
	return holder;
}

struct fork_holder fork_holder_find(const struct snapshot *snapshot,
				    const struct snapshot_thread *waiter, uint64_t lock, bool mutex)
{
	struct search search = {.snapshot = snapshot,
				.waiter = waiter,
				.lock = lock,
				.owner = named_owner(waiter, lock),
				.mutex = mutex};

	return seek(&search, seek_owner);
}

struct fork_holder fork_holder_taker(const struct snapshot *snapshot,
				     const struct snapshot_thread *waiter, uint64_t lock,
				     bool mutex)
{
	struct search search = {
		.snapshot = snapshot, .waiter = waiter, .lock = lock, .mutex = mutex};
	struct fork_holder holder = {0};
	AUTO_FREE struct pyview *view = NULL;

	if (!waiter->record || pythread_wait(waiter, lock).frames.meant)
		return holder;
	view = pyview_open((pid_t)waiter->pid);
	if (view) {
		search.rank = pyview_taker(view, waiter->record->pthread, lock, true).rank;
		holder = seek(&search, seek_taker);
		holder.probably = true;
	}
	return holder;
}
