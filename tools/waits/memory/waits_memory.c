/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The checks before a verdict: who could access the shared memory of the wait, whether the TIDs in
 * it are of one namespace, and whether the thread still waits. Neighbours: waits_look.h, memory_reach.h.
 */
#include <sys/syscall.h>

#include "../../facts/roles.h"
#include "../../proc/calls.h"
#include "../outside.h"
#include "../waits_look.h"

/* Checks processes that do not map it yet. */
static bool check_others(struct look *look)
{
	struct wait *wait = look->wait;
	uint32_t count = wait->count;
	bool by_job = wait->by_job;
	struct wakers_eye eye = look_eye(look);

	look_reopen(look);
	if (!wakers_of_memory_later(&look->waits->wakers, look->thread, &eye))
		wait->end = WAIT_OPEN;
	return wait->end == WAIT_OPEN || wait->count > count || wait->by_job != by_job;
}

/* A lock names its owner by TID: a TID means nothing in another PID namespace. */
static bool check_owner(struct look *look)
{
	if (!(look->wait->flags & MPSAN_LF_SHARED) ||
	    !wakers_find_memory(look->thread, look->wait->lock) ||
	    !wakers_are_scattered(&look->waits->wakers, look->thread))
		return false;
	look->wait->end = WAIT_OPEN;
	return true;
}

bool waits_check_memory(struct waits *waits, uint32_t thread)
{
	struct wait *wait = &waits->item.item[thread];
	struct look look = {waits, waits->snapshot, &waits->snapshot->threads.item[thread], wait};

	if (wait->memory_known || wait->end == WAIT_OPEN)
		return false;
	wait->memory_known = true;
	if (wait->kind > MPSAN_WAIT_SYSCALL)
		return look_check_descriptors(&look);
	return wait->memory ? check_others(&look) : check_owner(&look);
}

bool waits_check_moved(struct waits *waits, uint32_t thread)
{
	struct wait *wait = &waits->item.item[thread];

	if (wait->end == WAIT_OPEN || wait->kind == MPSAN_WAIT_GIL || wait_wakes(wait) ||
	    !snapshot_has_moved(&waits->snapshot->threads.item[thread]))
		return false;
	wait->end = WAIT_OPEN;
	return true;
}

/* Whether it waits for several descriptors, whichever is ready first. */
static bool stands_in_poll(const struct snapshot_thread *thread)
{
	return thread->looks > 1 && thread->call.state == PROC_IN_CALL &&
	       call_is_poll(&thread->call);
}

bool look_serves(const struct look *look)
{
	enum role role;

	if (look->wait->end != WAIT_OPEN || !stands_in_poll(look->thread))
		return false;
	role = role_of(&look->snapshot->reader->session.table[look->thread->slot]);
	return role == ROLE_FORK_SERVER || role == ROLE_TRACKER || role == ROLE_SHM_MANAGER;
}

/*
 * A process that ends waits for its threads, and those of the driver take their time: who waits for
 * the process waits for them.
 */
static bool process_goes_on(const struct look *look)
{
	const struct snapshot_process *process =
		&look->snapshot->processes.item[look->thread->process];
	const struct snapshot_thread *first = &look->snapshot->threads.item[process->begin];

	return first->tid == first->pid && first->call.state != PROC_ENDED &&
	       look->thread->call.state == PROC_IN_CALL;
}

/* The names that the driver gives its threads, which wait for descriptors. */
static bool has_name_of_driver(const struct snapshot_thread *thread)
{
	char name[32];

	if (thread->tid == thread->pid || thread->call.number == SYS_futex)
		return false;
	proc_thread_name(thread->pid, thread->tid, name);
	return !strncmp(name, "cuda", 4);
}

static uint64_t entry_of(const struct look *look)
{
	struct snapshot_thread *thread = look->thread;

	if (look->snapshot->outside && thread->outside && !thread->outside->entry &&
	    has_name_of_driver(thread))
		outside_begin(look->snapshot->outside, thread, thread->outside);
	return thread->record ? thread->record->entry : 0;
}

static bool is_of_driver(const struct look *look)
{
	struct snapshot_thread *thread = look->thread;
	uint64_t entry = entry_of(look);
	struct proc_mapping mapping;

	if (!entry)
		return false;
	if (thread->driver_entry != entry && proc_mapping_lately(thread->pid, entry, &mapping)) {
		thread->driver_entry = entry;
		thread->driver = !strncmp(path_base(mapping.path), "libcuda.so", 10);
	}
	return thread->driver_entry == entry && thread->driver;
}

void classify_driver(struct look *look)
{
	if (!process_goes_on(look) || !is_of_driver(look))
		return;
	look->wait->driver = true;
	look->wait->harmless |= !look->snapshot->outside &&
				!(look_process(look)->marks & MPSAN_MARK_CALLS_BACK);
}
