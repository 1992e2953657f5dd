/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that sleep, and between two sleeps only ask, in vain, for one lock or the end of one thread or
 * child. That is a wait if a certain owner must end it. Neighbours: waits_look.h, snapshot.h.
 */
#include "../proc/calls.h"
#include "../proc/file_locks.h"
#include "waits_look.h"

/* The end of the thread whose descriptor has this word in its first `bytes`; false: none is known to. */
static bool classify_thread(struct look *look, uint64_t word, uint64_t bytes)
{
	const struct snapshot_process *process =
		&look->snapshot->processes.item[look->thread->process];

	for (uint32_t i = process->begin; i < process->end; i++) {
		const struct mpsan_thread *record = look->snapshot->threads.item[i].record;

		if (record && record->pthread && look_lies_in(word, record->pthread, bytes)) {
			look_add_owner(look, i);
			return true;
		}
	}
	return false;
}

/*
 * The awaited word is in the thread's descriptor, and before glibc 2.43 contains its TID; since then it is a
 * state, which the TID of another thread may resemble.
 */
void classify_join(struct look *look, uint64_t word)
{
	const struct snapshot *snapshot = look->snapshot;
	uint32_t target =
		snapshot_find(snapshot, look->thread->slot, (uint32_t)look->thread->call.arg[2]);
	const struct mpsan_thread *record;

	if (classify_thread(look, word, LOOK_PTHREAD_BYTES) || target == SNAPSHOT_NONE)
		return;
	record = snapshot->threads.item[target].record;
	if (!record || !record->pthread)
		look_add_owner(look, target);
}

/*
 * Whether a process of the job has the file locked: who waits for another program's may be a standby. A thread that tries
 * may give up after some time, as filelock does, so that it is not known who could end its wait.
 */
static bool is_locked_by_job(const struct look *look, uint64_t inode)
{
	struct file_lock lock;

	return file_lock_held(inode, &lock) &&
	       snapshot_process_of_pid(look->snapshot, lock.pid) != SNAPSHOT_NONE;
}

static void classify_tried(struct look *look, uint64_t object, unsigned kind)
{
	switch (kind) {
	case MPSAN_LOCK_MUTEX:
		classify_mutex(look, object);
		break;
	case MPSAN_LOCK_RWLOCK_READ:
	case MPSAN_LOCK_RWLOCK_WRITE:
		classify_rwlock(look, object);
		break;
	case MPSAN_LOCK_SEMAPHORE:
		classify_semaphore(look, object, 0);
		break;
	case MPSAN_WAIT_JOIN:
		classify_thread(look, object, 1);
		break;
	case MPSAN_WAIT_PROCESS:
		classify_child(look, (int64_t)object, object);
		break;
	default:
		break;
	}
}

/* Popen.wait sleeps and asks by itself until its limit runs out. */
static void classify_limit(struct look *look)
{
	struct pyview *view = look_has_frames(look) ? look_view(look, look->thread->pid) : NULL;
	uint64_t limit_ns = view ? pyview_child_limit(view, look_handle(look->thread)) : 0;

	if (!limit_ns)
		return;
	look->wait->ends = MPSAN_ENDS_LIMIT;
	look->wait->ends_ns = limit_ns;
}

bool classify_tries(struct look *look)
{
	const struct mpsan_hold *tried = &look->thread->tried;
	const struct wait before = *look->wait;

	if (!call_is_sleep(&look->thread->call) || !snapshot_tries(look->snapshot, look->thread))
		return false;
	look->wait->kind = MPSAN_TAG_KIND(tried->tag);
	look->wait->lock = MPSAN_TAG_ADDRESS(tried->tag);
	look->wait->caller = MPSAN_TAG_ADDRESS(tried->caller);
	look->wait->ends = MPSAN_ENDS_POLL;
	look->wait->tries = true;
	classify_tried(look, look->wait->lock, (unsigned)look->wait->kind);
	if (look->wait->kind == MPSAN_WAIT_PROCESS)
		classify_limit(look);
	if ((look->wait->kind == MPSAN_WAIT_FILE_LOCK &&
	     is_locked_by_job(look, look->wait->lock)) ||
	    (look->wait->end != WAIT_OPEN &&
	     (wait_needs_owner(look->wait) || look->wait->flags & MPSAN_LF_SHARED)))
		return true;
	*look->wait = before;
	return false;
}
