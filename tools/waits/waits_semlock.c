/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which thread will release one of multiprocessing's locks: one that is in a `with` block of it, or
 * the one that took it where the waiter is about to enter such a block. Neighbours: waits_look.h,
 * pshared_locks.h, ../symbols/pylock.h.
 */
#include "../facts/facts.h"
#include "waits_look.h"

/* The PID of the process whose memory this one began with a copy of; 0: it did not. */
static uint32_t copied_from(const struct mpsan_process *process)
{
	if (!fact_how_copies(process->how))
		return 0;
	return process->parent_pid ? process->parent_pid : UINT32_MAX;
}

/* Whether the frames of a thread, at rest, say that it has the lock at this address of its process. */
static bool keeps(struct look *look, const struct snapshot_thread *thread, uint64_t lock)
{
	const struct mpsan_process *process = &look->snapshot->reader->session.table[thread->slot];
	struct pyview *view = look_handle(thread) ? look_view(look, thread->pid) : NULL;

	return view &&
	       pyview_lock_keeps_shared(view, look_handle(thread), lock, copied_from(process));
}

/* ---- who took it, by the logs ---- */

struct takers {
	const struct look *look;
	unsigned held;
	bool handoff;
	uint32_t thread; /* of the snapshot */
	uint64_t address; /* in its process */
};

static void see_taker(const struct pshared_taker *taker, void *context)
{
	struct takers *takers = context;

	takers->handoff |= (taker->tag & MPSAN_TAG_HANDOFF) != 0;
	if (taker->tag & MPSAN_TAG_WANTED)
		return;
	takers->held++;
	takers->thread = snapshot_find(takers->look->snapshot, taker->slot, taker->tid);
	takers->address = MPSAN_TAG_ADDRESS(taker->tag);
}

/* False: none took it, or several did. */
static bool find_taker(struct look *look, uint64_t lock, struct takers *takers)
{
	struct shared *shared = waits_shared(look->waits);
	struct pshared_key key;

	*takers = (struct takers){.look = look, .thread = SNAPSHOT_NONE};
	if (!pshared_find(shared, look->thread->slot, lock, &key))
		return false;
	pshared_takers(shared, &key, see_taker, takers);
	return takers->held == 1 && !takers->handoff && takers->thread != SNAPSHOT_NONE;
}

/* ---- its owner ---- */

static uint32_t owner_among_others(struct look *look, uint64_t lock)
{
	struct pyview *view = look_view(look, look->thread->pid);
	bool enters = view && pyview_lock_enters_shared(view, look_handle(look->thread), lock);
	struct takers takers;
	const struct snapshot_thread *taker;

	if (!view || pyview_lock_is_of_queue(view, look_handle(look->thread)) ||
	    !find_taker(look, lock, &takers))
		return SNAPSHOT_NONE;
	taker = &look->snapshot->threads.item[takers.thread];
	if (taker == look->thread || taker->call.state != PROC_IN_CALL)
		return SNAPSHOT_NONE;
	return (enters || keeps(look, taker, takers.address)) && !snapshot_has_moved(taker) ?
		       takers.thread :
		       SNAPSHOT_NONE;
}

static bool may_ask_others(const struct look *look)
{
	return look->waits->verdict_ns == look->snapshot->now_ns || look_may_ask(look);
}

static void learn(struct look *look, uint64_t lock)
{
	uint32_t owner = (uint32_t)(look->thread - look->snapshot->threads.item);
	struct snapshot_python python = {
		.known = true, .asked_ns = look->snapshot->now_ns, .lock = lock};

	if (!keeps(look, look->thread, lock))
		owner = may_ask_others(look) ? owner_among_others(look, lock) : SNAPSHOT_NONE;
	python.asked = may_ask_others(look);
	if (owner != SNAPSHOT_NONE) {
		python.owner = look->snapshot->threads.item[owner].own_tid;
		python.owner_slot = look->snapshot->threads.item[owner].slot;
		python.holder_runs = look->snapshot->threads.item[owner].runs;
	}
	look->thread->python = python;
}

static uint32_t known_owner(const struct look *look, uint64_t lock)
{
	const struct snapshot_python *python = &look->thread->python;

	return python->known && python->owner && python->lock == lock ?
		       snapshot_find(look->snapshot, python->owner_slot, python->owner) :
		       SNAPSHOT_NONE;
}

/* What the thread itself has it keeps while it polls; another owner may have gone on. */
static bool is_known(const struct look *look, uint64_t lock)
{
	const struct snapshot_python *python = &look->thread->python;
	uint32_t index = known_owner(look, lock);
	const struct snapshot_thread *owner =
		index == SNAPSHOT_NONE ? NULL : &look->snapshot->threads.item[index];

	if (!python->known || python->lock != lock || (!python->asked && may_ask_others(look)))
		return false;
	if (owner && owner->runs == python->holder_runs)
		return true;
	return (!python->owner || owner == look->thread) &&
	       look->snapshot->now_ns - python->asked_ns < LOOK_AGAIN_NS;
}

/*
 * Whether it has the lock itself is asked at once: where all others wait, too, a dead end would be told
 * before the second has passed.
 */
bool look_by_semlock(struct look *look, uint64_t lock)
{
	uint32_t owner;

	if (!look_has_frames(look))
		return false;
	if (!is_known(look, lock))
		learn(look, lock);
	owner = known_owner(look, lock);
	if (owner == SNAPSHOT_NONE)
		return false;
	look->wait->flags |= MPSAN_LF_MUTUAL;
	look_by_owner(look, owner);
	return true;
}

/* ---- that nobody has ---- */

/*
 * Whether a process that maps the lock has not taken it. It lies there, and has that object, in every process
 * that began as a copy of the one that made it; of others it is not known.
 */
static bool is_without(const struct snapshot_process *process, uint64_t object, uint64_t lock)
{
	struct pyview *view = pyview_open((pid_t)process->pid);
	bool without = view && pyview_shared_lock_is_free(view, object, lock);

	pyview_close(view);
	return without;
}

static uint64_t object_of(const struct snapshot_thread *thread, uint64_t lock)
{
	struct pyview *view = thread->record ? pyview_open((pid_t)thread->pid) : NULL;
	uint64_t object = view ? pyview_shared_lock(view, thread->record->pthread, lock) : 0;

	pyview_close(view);
	return object;
}

bool waits_owner_has_ended(const struct waits *waits, uint32_t index)
{
	const struct snapshot *snapshot = waits->snapshot;
	const struct snapshot_thread *thread = &snapshot->threads.item[index];
	const struct wait *wait = &waits->item.item[index];
	uint64_t object;
	int maps;

	if (!snapshot->outside || wait->kind != MPSAN_LOCK_SEMAPHORE ||
	    !(wait->flags & MPSAN_LF_SHARED) || wait->end != WAIT_PROCESSES ||
	    !thread->object.known)
		return false;
	object = object_of(thread, wait->lock);
	for (uint32_t i = 0; object && i < snapshot->processes.count; i++) {
		maps = proc_maps(snapshot->processes.item[i].pid, thread->object.device,
				 thread->object.inode);
		if (maps &&
		    (maps < 0 || !is_without(&snapshot->processes.item[i], object, wait->lock)))
			return false;
	}
	return object;
}
