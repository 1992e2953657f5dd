/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the owner of a lock of multiprocessing: the thread inside a `with` block of it, in any process; or, where the
 * waiter is about to enter such a block, the thread that took it by the logs. Neighbours: waits_look.h, pshared_locks.h,
 * ../symbols/pylock.h.
 */
#include "../facts/facts.h"
#include "../facts/processes.h"
#include "../facts/roles.h"
#include "../proc/calls.h"
#include "../symbols/pylock.h"
#include "pythreads.h"
#include "waits_look.h"

/*
 * PID of the process from which it was forked; PYLOCK_FORK_SERVER for a child of a fork server; 0: not forked. From
 * outside, the parent of the first process is not examined.
 */
static uint32_t copied_from(const struct look *look, const struct snapshot_thread *thread)
{
	const struct mpsan_process *table = look->snapshot->reader->session.table,
				   *process = &table[thread->slot];
	bool first = look->snapshot->outside && !process->parent;
	struct proc_stat stat = {0};

	if (first)
		stat = proc_stat(thread->pid, thread->pid);
	if (first ? !stat.forked : !fact_how_copies(process->how))
		return 0;
	if (process->parent && role_of(&table[process->parent - 1]) == ROLE_FORK_SERVER)
		return PYLOCK_FORK_SERVER;
	if (first)
		return stat.parent ? stat.parent : UINT32_MAX;
	return process->parent_pid ? process->parent_pid : UINT32_MAX;
}

/*
 * Whether the frames of a thread, at rest, say that it has the lock at this address of its process. Only the first
 * thread of a process may have frames of the one that was copied.
 */
static bool keeps(struct look *look, const struct snapshot_thread *thread, uint64_t lock)
{
	struct pyview *view = look_handle(thread) ? look_view(look, thread->pid) : NULL;

	return view &&
	       pyview_lock_keeps_shared(view, look_handle(thread), lock,
					thread->tid == thread->pid ? copied_from(look, thread) : 0);
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
static bool find_taker(struct look *look, const struct pshared_key *key, struct takers *takers)
{
	*takers = (struct takers){.look = look, .thread = SNAPSHOT_NONE};
	pshared_takers(waits_shared(look->waits), key, see_taker, takers);
	return takers->held == 1 && !takers->handoff && takers->thread != SNAPSHOT_NONE;
}

bool look_semlock_is_own(struct look *look)
{
	struct shared *shared = waits_shared(look->waits);
	struct pshared_key key;
	struct takers takers;

	return pshared_find(shared, look->thread->slot, look->wait->lock, &key) &&
	       find_taker(look, &key, &takers) &&
	       &look->snapshot->threads.item[takers.thread] == look->thread &&
	       pshared_first(shared, look->thread->slot, look->wait->lock) == 1;
}

/* ---- who keeps it, by the frames of all processes ---- */

/* False: a second one was found. */
static bool see_keepers(struct look *look, const struct snapshot_process *process, uint64_t lock,
			struct waits_keeper *keeper)
{
	for (uint32_t i = process->begin; lock && i < process->end; i++) {
		const struct snapshot_thread *thread = &look->snapshot->threads.item[i];

		if (!keeps(look, thread, lock) || !snapshot_stands(thread))
			continue;
		if (keeper->thread != SNAPSHOT_NONE)
			return false;
		keeper->thread = i;
		keeper->address = lock;
	}
	return true;
}

static struct waits_keeper find_keeper(struct look *look, const struct pshared_key *key)
{
	struct waits_keeper *keeper = &look->waits->keeper;

	if (keeper->at_ns == look->snapshot->now_ns && pshared_same(&keeper->key, key))
		return *keeper;
	*keeper = (struct waits_keeper){look->snapshot->now_ns, *key, SNAPSHOT_NONE, 0};
	for (uint32_t i = 0; i < look->snapshot->processes.count; i++) {
		const struct snapshot_process *process = &look->snapshot->processes.item[i];
		uint64_t lock =
			look->snapshot->reader->session.table[process->slot].python ?
				pshared_address(waits_shared(look->waits), process->slot, key) :
				0;

		if (!see_keepers(look, process, lock, keeper)) {
			keeper->thread = SNAPSHOT_NONE;
			break;
		}
	}
	return *keeper;
}

/* ---- its owner ---- */

/* The thread that has it by its frames; from outside nothing else is known. */
static uint32_t owner_by_frames(struct look *look, const struct pshared_key *key, uint64_t *address)
{
	struct waits_keeper keeper = find_keeper(look, key);

	*address = keeper.address;
	return keeper.thread;
}

/* Whether another thread of its process pauses, and was not seen to go on yet: a Timer may release what this one took. */
static bool has_timer(const struct look *look, const struct snapshot_thread *taker)
{
	const struct snapshot_process *process = &look->snapshot->processes.item[taker->process];

	for (uint32_t i = process->begin; i < process->end; i++) {
		const struct snapshot_thread *thread = &look->snapshot->threads.item[i];

		if (thread != taker && !thread->rounds && call_has_limit(&thread->call))
			return true;
	}
	return false;
}

/* The one that took it by the logs, if it is in a `with` block, or the waiter is about to enter one. */
static uint32_t owner_by_logs(struct look *look, const struct pshared_key *key, bool enters,
			      uint64_t *address)
{
	const struct snapshot_thread *taker;
	struct takers takers;

	if (!find_taker(look, key, &takers))
		return SNAPSHOT_NONE;
	*address = takers.address;
	taker = &look->snapshot->threads.item[takers.thread];
	if (taker == look->thread || taker->call.state != PROC_IN_CALL)
		return SNAPSHOT_NONE;
	return ((enters && !has_timer(look, taker)) || keeps(look, taker, takers.address)) &&
			       !snapshot_has_moved(taker) ?
		       takers.thread :
		       SNAPSHOT_NONE;
}

uint32_t look_semlock_taker(struct look *look)
{
	bool logs = !look->snapshot->outside && look_has_frames(look);
	struct pyview *view = logs ? look_view(look, look->thread->pid) : NULL;
	const struct snapshot_thread *taker;
	const struct seen_share *made;
	struct pshared_key key;
	struct takers takers;

	if (!view || pyview_lock_is_of_queue(view, look_handle(look->thread)) ||
	    !pshared_find(waits_shared(look->waits), look->thread->slot, look->wait->lock, &key) ||
	    !find_taker(look, &key, &takers))
		return SNAPSHOT_NONE;
	made = pshared_made(waits_shared(look->waits), &key);
	taker = &look->snapshot->threads.item[takers.thread];
	if (!made || made->ev.value != 1 ||
	    (taker == look->thread && taker->tid == taker->pid &&
	     !process_is_worker(&look->snapshot->reader->facts, taker->slot)))
		return SNAPSHOT_NONE;
	return takers.thread;
}

static uint32_t owner_among_others(struct look *look, uint64_t lock, uint64_t *address)
{
	struct pyview *view = look_view(look, look->thread->pid);
	bool enters = view && pyview_lock_enters_shared(view, look_handle(look->thread), lock);
	struct pshared_key key;

	if (!view || pyview_lock_is_of_queue(view, look_handle(look->thread)) ||
	    !pshared_find(waits_shared(look->waits), look->thread->slot, lock, &key))
		return SNAPSHOT_NONE;
	return look->snapshot->outside ? owner_by_frames(look, &key, address) :
					 owner_by_logs(look, &key, enters, address);
}

static bool may_ask_others(const struct look *look)
{
	return look_is_verdict(look) || look_may_ask(look);
}

static void learn(struct look *look, uint64_t lock)
{
	uint32_t owner = (uint32_t)(look->thread - look->snapshot->threads.item);
	struct snapshot_python python = {
		.known = true, .asked_ns = look->snapshot->now_ns, .lock = lock};

	python.owner_lock = lock;
	if (!keeps(look, look->thread, lock))
		owner = may_ask_others(look) ? owner_among_others(look, lock, &python.owner_lock) :
					       SNAPSHOT_NONE;
	python.asked = may_ask_others(look);
	if (owner != SNAPSHOT_NONE) {
		python.owner = look->snapshot->threads.item[owner].own_tid;
		python.owner_slot = look->snapshot->threads.item[owner].slot;
		python.holder_runs = look->snapshot->threads.item[owner].runs;
	}
	look->thread->python = python;
}

static uint32_t cached_owner(const struct look *look, uint64_t lock)
{
	const struct snapshot_python *python = &look->thread->python;

	return python->known && python->owner && python->lock == lock ?
		       snapshot_find(look->snapshot, python->owner_slot, python->owner) :
		       SNAPSHOT_NONE;
}

/* What the thread itself has it keeps while it polls; another owner may have gone on. */
static bool owner_is_cached(const struct look *look, uint64_t lock)
{
	const struct snapshot_python *python = &look->thread->python;
	uint32_t index = cached_owner(look, lock);
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
 * Whether the waiter has the lock itself is checked without the one-second delay: where all others wait, too, the job
 * would be reported as a dead end first.
 */
bool look_add_semlock(struct look *look, uint64_t lock)
{
	uint32_t owner;

	if (!look_has_frames(look))
		return false;
	if (!owner_is_cached(look, lock))
		learn(look, lock);
	owner = cached_owner(look, lock);
	if (owner == SNAPSHOT_NONE)
		return false;
	look->wait->flags |= MPSAN_LF_MUTUAL;
	look_add_owner(look, owner);
	return true;
}

/* ---- that nobody has ---- */

/*
 * Whether a process that maps the lock has not taken it. It lies there, and has that object, in every process
 * that began as a copy of the one that made it; of others it is not known.
 */
static bool is_without(const struct snapshot_process *process, uint64_t object, uint64_t lock)
{
	AUTO_FREE struct pyview *view = pyview_open((pid_t)process->pid);

	return view && pyview_shared_lock_is_free(view, object, lock);
}

static uint64_t object_of(const struct snapshot_thread *thread, uint64_t lock)
{
	AUTO_FREE struct pyview *view = thread->record ? pyview_open((pid_t)thread->pid) : NULL;

	return view ? pyview_shared_lock(view, thread->record->pthread, lock) : 0;
}

bool waits_any_hands_on(const struct waits *waits)
{
	const struct snapshot *snapshot = waits->snapshot;

	for (uint32_t i = 0; i < snapshot->threads.count; i++)
		if (wait_is_apart(&waits->item.item[i]) &&
		    pythread_names_release(&snapshot->threads.item[i]))
			return true;
	return false;
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
