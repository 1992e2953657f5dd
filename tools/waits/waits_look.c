/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the processes and threads that could end the wait of the thread under examination. */
#include "waits_look.h"

#include "../job/patience.h"
#include "../proc/calls.h"
#include "../proc/namespaces.h"
#include "pythreads.h"

void look_add(struct look *look, uint32_t index)
{
	struct waits *waits = look->waits;

	if (!look->wait->count)
		look->wait->begin = waits->who.count;
	*ARRAY_ADD(&waits->who) = index;
	look->wait->count++;
}

uint64_t look_alarm_ns(const struct look *look)
{
	const struct mpsan_process *process = look_process(look);
	uint64_t due_ns = process->alarm_ns;

	return process->flags & MPSAN_PROCESS_ALARM && due_ns != UINT64_MAX &&
			       due_ns + PATIENCE_NS(DELIVERY) >= look->snapshot->now_ns ?
		       due_ns :
		       0;
}

void look_add_limit(struct look *look, uint64_t ends_ns)
{
	look->wait->ends = snapshot_polls(look->snapshot, look->thread) ? MPSAN_ENDS_POLL :
									  MPSAN_ENDS_LIMIT;
	look->wait->ends_ns = ends_ns;
}

void look_add_call_limit(struct look *look)
{
	uint64_t limit = call_limit_ns(look->thread->pid, &look->thread->call);

	look_add_limit(look, limit ? look->thread->still_ns + limit : 0);
}

void look_add_owner(struct look *look, uint32_t thread)
{
	look->wait->end = WAIT_OWNERS;
	look_add(look, thread);
}

void look_add_process(struct look *look, uint32_t process)
{
	look->wait->end = WAIT_PROCESSES;
	look_add(look, process);
}

/* The list must be contiguous: to add an entry, it is copied to the end. */
void look_reopen(struct look *look)
{
	uint32_t begin = look->wait->begin, count = look->wait->count;

	look->wait->count = 0;
	for (uint32_t i = 0; i < count; i++)
		look_add(look, look->waits->who.item[begin + i]);
}

static void waits_add_process(uint32_t process, void *context)
{
	look_add_process(context, process);
}

static void add_job(void *context)
{
	struct look *look = context;

	look->wait->by_job = true;
}

struct wakers_eye look_eye(struct look *look)
{
	return (struct wakers_eye){waits_add_process, add_job, look};
}

/*
 * Any thread may post a semaphore or signal a condition: of this process, or of those that map the
 * memory.
 */
void look_add_anybody(struct look *look, uint64_t address)
{
	const struct wakers_eye eye = look_eye(look);

	if (!wakers_find_memory(look->thread, address))
		return;
	look->wait->memory = look->thread->object.is_shared;
	if (!look->wait->memory)
		look_add_process(look, look->thread->process);
	else if (!wakers_of_memory(&look->waits->wakers, look->thread, &eye))
		look->wait->end = WAIT_OPEN;
}

struct shared *waits_shared(struct waits *waits)
{
	if (!waits->shared)
		waits->shared = pshared_create(waits->snapshot->reader);
	if (waits->shared_ns != waits->snapshot->now_ns)
		pshared_begin(waits->shared);
	waits->shared_ns = waits->snapshot->now_ns;
	return waits->shared;
}

struct searching {
	uint32_t depth; /* of the namespace in which it has the number */
	uint32_t pid, found;
};

static void compare_child(uint32_t pid, void *context)
{
	struct searching *search = context;
	struct namespace_tids tids = namespace_tids(pid, pid);

	if (tids.count >= search->depth && tids.of[search->depth - 1] == search->pid)
		search->found = pid;
}

uint32_t look_child(const struct look *look, uint32_t pid)
{
	const struct snapshot *snapshot = look->snapshot;
	const struct snapshot_thread *by = look->thread;
	struct searching search = {.pid = pid};

	if (!elsewhere_is(&snapshot->reader->session.table[by->slot]))
		return snapshot_process_of_pid(snapshot, pid);
	search.depth = namespace_tids(by->pid, by->pid).count;
	if (search.depth)
		proc_children(by->pid, compare_child, &search);
	return search.found ? snapshot_process_of_pid(snapshot, search.found) : SNAPSHOT_NONE;
}

bool look_calls_lock(const struct look *look)
{
	struct awaited_frames frames = pythread_wait(look->thread, look->wait->lock).frames;

	return frames.meant == PARKED_BY_CALL && frames.what == AWAITED_NOTHING;
}
