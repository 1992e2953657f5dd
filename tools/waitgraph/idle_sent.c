/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the wait of a thread was answered before, and whether who could answer has ended; which processes read from each other. */
#include "idle_group.h"

#include <signal.h>

#include "../facts/exceptions.h"
#include "../facts/processes.h"
#include "../facts/roles.h"
#include "../proc/calls.h"
#include "../proc/pipes.h"
#include "../waits/cross_process.h"
#include "../waits/native.h"
#include "../waits/outside.h"
#include "../waits/pythreads.h"
#include "pipe_holders.h"

#define STDIN 0u

/* ---- whether the wait was answered before ---- */

static bool in_same_memory(const struct snapshot_thread *one, const struct snapshot_thread *other)
{
	return one->object.is_shared && other->object.is_shared &&
	       one->object.device == other->object.device &&
	       one->object.inode == other->object.inode;
}

/*
 * Both wait at the same address, or at the same place of shared memory, which may be mapped
 * anywhere.
 */
static bool is_same_place(const struct group *group, uint32_t one, uint32_t other)
{
	uint64_t apart = group_wait(group, one)->lock ^ group_wait(group, other)->lock;

	if (group_thread(group, one)->slot == group_thread(group, other)->slot)
		return !apart;
	return in_same_memory(group_thread(group, one), group_thread(group, other)) &&
	       !(apart % MPSAN_PAGE);
}

/* The beginning of glibc's struct __pthread_cond_s. */
struct condition {
	uint64_t waits; /* __wseq: from the second bit on, how many have begun */
	uint64_t
		woken; /* __g1_start: not 0 if one was woken, before glibc 2.41; later: if two were */
};

/* Earlier waits have ended by a signal, or by a limit if this one has a limit, too. */
static bool was_signalled(const struct group *group, uint32_t i)
{
	const struct wait *wait = group_wait(group, i);
	struct condition condition;
	uint64_t waiters = 0;

	for (uint32_t k = 0; k < group->count; k++)
		waiters += group_wait(group, k)->kind == wait->kind && is_same_place(group, k, i);
	return proc_peek(group_thread(group, i)->pid, wait->lock, &condition, sizeof(condition)) &&
	       condition.waits >> 1 > waiters && (!wait_is_timed(wait) || condition.woken);
}

/*
 * Whether a multiprocessing semaphore was created with value 0; identified by its file, which all
 * its users have.
 */
bool idle_made_empty(const struct group *group, const struct snapshot_thread *thread)
{
	const struct reader *reader = group->snapshot->reader;

	for (uint32_t i = reader->shares.count; thread->object.inode && i-- > 0;) {
		const struct ev_shared_lock *share = &reader->shares.item[i].ev;

		if (share->device == thread->object.device &&
		    share->inode == thread->object.inode && share->value != UINT64_MAX)
			return !share->value;
	}
	return false;
}

/* Whether a waiter has taken a unit before. */
static bool was_taken(const struct group *group, uint32_t i)
{
	struct mpsan_hold hold;

	for (uint32_t k = 0; k < group->count; k++)
		if (is_same_place(group, k, i) &&
		    snapshot_holds(group_thread(group, k), group_wait(group, k)->lock, &hold))
			return true;
	return false;
}

/* Although there was none initially. */
static bool was_posted(const struct group *group, uint32_t i)
{
	return was_taken(group, i) && idle_made_empty(group, group_thread(group, i));
}

/* Whether one that has ended has taken it, so that it may be a lock. */
static bool was_left_taken(struct shared *shared, uint32_t slot, uint64_t address)
{
	struct cross_process_claims claims = {0};
	struct pshared_key key;

	if (pshared_find(shared, slot, address, &key))
		pshared_takers(shared, &key, cross_process_add, &claims);
	return claims.held_gone;
}

bool idle_serves_anybody(const struct group *group, uint32_t i)
{
	const struct snapshot_thread *thread = group_thread(group, i);
	const struct wait *wait = group_wait(group, i);
	uint64_t first;

	if (wait->kind != MPSAN_LOCK_SEMAPHORE || !(wait->flags & MPSAN_LF_SHARED) ||
	    wait_needs_owner(wait) || !wakers_have_path(thread))
		return false;
	first = pshared_first(group->shared, thread->slot, wait->lock);
	return first == UINT64_MAX ? !was_left_taken(group->shared, thread->slot, wait->lock) :
				     first != 1;
}

/* Whether a process has read from the pipe, or socket, that a thread of the group waits for. */
static bool has_read(const struct group *group, uint32_t slot, const struct snapshot_thread *waiter)
{
	const struct mpsan_process *process = group_process(group, slot);

	for (int fd = 0; fd < MPSAN_FED && process->argv_bytes <= MPSAN_ARGV_KEPT; fd++) {
		struct pipe_id id;

		if (!(process->fed[fd / 32] >> fd % 32 & 1))
			continue;
		id = pipe_of(session_pid(&group->snapshot->reader->session, slot), fd);
		if (id.kind && id.kind == waiter->object.kind &&
		    id.device == waiter->object.device && id.inode == waiter->object.inode)
			return true;
	}
	return false;
}

static bool has_read_any(const struct group *group, uint32_t slot)
{
	for (uint32_t i = 0; i < group->count; i++)
		if (wait_is_read(group_wait(group, i)) &&
		    has_read(group, slot, group_thread(group, i)))
			return true;
	return false;
}

/*
 * Whether another process of the group waits in the same shared memory at another place: the two
 * should wake each other.
 */
static bool meets_other(const struct group *group, uint32_t i)
{
	const struct snapshot_thread *thread = group_thread(group, i);

	for (uint32_t k = 0; k < group->count && thread->object.is_shared; k++) {
		const struct snapshot_thread *other = group_thread(group, k);

		if (other->slot != thread->slot && in_same_memory(other, thread) &&
		    group_wait(group, k)->kind < MPSAN_WAIT_PROCESS && !is_same_place(group, k, i))
			return true;
	}
	return false;
}

/* Whether the parent waits for the end of this very process, and does not only take note of it. */
static bool is_waited_for(const struct group *group, uint32_t parent, uint32_t pid)
{
	for (uint32_t i = 0; i < group->count; i++)
		if (group_thread(group, i)->slot == parent &&
		    group_wait(group, i)->kind == MPSAN_WAIT_PROCESS &&
		    group_wait(group, i)->lock == pid &&
		    group->python[i].frames.meant != PARKED_IDLE)
			return true;
	return false;
}

uint32_t idle_feeder(const struct group *group, uint32_t i)
{
	const struct wait *wait = group_wait(group, i);
	uint32_t parent = process_parent(group_facts(group), group_thread(group, i)->slot),
		 from = snapshot_process(group->snapshot, parent);

	for (uint32_t k = 0; k < wait->count; k++)
		if (group->graph->waits->who.item[wait->begin + k] == from)
			return parent;
	return FACT_NONE;
}

/* Whether that parent waits in an event loop, which may have nothing to send. */
static bool is_fed_by_loop(const struct group *group, uint32_t i)
{
	uint32_t parent = group->is_job ? idle_feeder(group, i) : FACT_NONE;

	for (uint32_t k = 0; parent != FACT_NONE && k < group->count; k++)
		if (group_thread(group, k)->slot == parent &&
		    call_is_loop(&group_thread(group, k)->call))
			return true;
	return false;
}

/* It reads to the end, for which its parent waits in turn, but which does not come. */
static bool lacks_end(const struct group *group, uint32_t i)
{
	const struct snapshot_thread *thread = group_thread(group, i);

	return pipe_holder(group->graph->waits, group->index[i]) != SNAPSHOT_NONE &&
	       is_waited_for(group, process_parent(group_facts(group), thread->slot),
			     group_process(group, thread->slot)->pid);
}

bool idle_wants_input(const struct group *group, uint32_t i)
{
	bool is_input = group_thread(group, i)->call.arg[0] == STDIN;

	return (is_input && !group->loops && !is_fed_by_loop(group, i)) || lacks_end(group, i);
}

static struct idle_monitor monitor_of(const struct group *group, uint32_t i)
{
	const struct pythread_wait *python = &group->python[i];
	const struct wait *wait = group_wait(group, i);

	if (python->monitor)
		return (struct idle_monitor){python->monitor, python->condition, python->place};
	if (wait->kind != MPSAN_WAIT_COND)
		return (struct idle_monitor){0};
	return (struct idle_monitor){native_cond_mutex(group_thread(group, i), wait->lock),
				     wait->lock, wait->caller};
}

void idle_find_monitors(const struct group *group)
{
	for (uint32_t i = 0; i < group->count; i++)
		group->monitor[i] = monitor_of(group, i);
}

/*
 * Whether another thread waits, in other code, for another condition of the same lock: each side of such a monitor is
 * to signal the other.
 */
static bool meets_at_lock(const struct group *group, uint32_t i)
{
	const struct idle_monitor *own = &group->monitor[i];

	for (uint32_t k = 0; k < group->count && own->lock && own->place; k++) {
		const struct idle_monitor *other = &group->monitor[k];

		if (other->lock == own->lock && other->condition != own->condition &&
		    other->place && other->place != own->place &&
		    group_thread(group, k)->slot == group_thread(group, i)->slot)
			return true;
	}
	return false;
}

/* Whether it reads an eventfd: one thread is woken by it, which does not poll. */
static bool reads_event(const struct group *group, uint32_t i)
{
	return group_wait(group, i)->kind == MPSAN_WAIT_READY &&
	       group_thread(group, i)->object.kind == PIPE_EVENT;
}

/* It reads from who reads, too, or both read an eventfd each: one should have begun. */
static bool meets_peer(const struct group *group, uint32_t i)
{
	const struct snapshot_object *one = &group_thread(group, i)->object;

	for (uint32_t k = 0; k < group->count; k++) {
		const struct snapshot_object *other = &group_thread(group, k)->object;

		if (group_wait(group, i)->kind == MPSAN_WAIT_SOCKET_READ &&
		    group_wait(group, k)->kind == MPSAN_WAIT_SOCKET_READ &&
		    one->peer == other->inode)
			return true;
		if (reads_event(group, i) && reads_event(group, k) && one->inode != other->inode)
			return true;
	}
	return group_entry(group, i)->life.from_readers;
}

/*
 * From outside, whether a queue of multiprocessing has a thread that feeds it: the process that put
 * something has one from then on.
 */
static bool was_fed(const struct group *group, uint32_t i)
{
	const struct wait *wait = group_wait(group, i);

	if (!group->snapshot->outside || (!wait_is_read(wait) && !(wait->flags & MPSAN_LF_SHARED)))
		return false;
	for (uint32_t k = 0; k < group->count; k++)
		if (pythread_runs(group_thread(group, k), "_feed", "multiprocessing/queues.py"))
			return true;
	return false;
}

/* Whether an item for what it reads from was put, and dropped. */
static bool was_dropped(const struct group *group, uint32_t i)
{
	const struct snapshot *snapshot = group->snapshot;

	return wait_is_read(group_wait(group, i)) &&
	       exception_at_pipe(group_facts(group), group_thread(group, i)->object.inode,
				 snapshot->now_ns) != FACT_NONE;
}

bool idle_was_sent(const struct group *group, uint32_t i, const struct pythread_wait *python)
{
	const struct snapshot_thread *thread = group_thread(group, i);
	uint64_t kind = group_wait(group, i)->kind;

	if (python->of_manager)
		return false;
	if (python->queue != CPYTHON_QUEUE_NONE)
		return python->queue == CPYTHON_QUEUE_USED;
	if (snapshot_wanted(thread).tag & MPSAN_TAG_HANDOFF)
		return true;
	return (kind == MPSAN_WAIT_COND && was_signalled(group, i)) || meets_at_lock(group, i) ||
	       (kind == MPSAN_LOCK_SEMAPHORE && was_posted(group, i)) ||
	       (kind < MPSAN_WAIT_PROCESS && meets_other(group, i)) || meets_peer(group, i) ||
	       has_read_any(group, thread->slot) || was_fed(group, i) || was_dropped(group, i);
}

/* ---- processes that read from each other ---- */

/*
 * Whether it is the process's own, or one whose main thread reads; `other`: one that does so elsewhere, for a signal at
 * another place. `reader`: by process, that main thread, by number in the group, or PARKED_NONE.
 */
static bool reads_too(const struct group *group, uint32_t i, uint32_t process,
		      const uint32_t *reader, bool *other)
{
	if (process == group_thread(group, i)->process)
		return true;
	if (reader[process] == PARKED_NONE)
		return false;
	*other |= wait_is_read(group_wait(group, i)) || !is_same_place(group, i, reader[process]);
	return true;
}

/* Whether another process could send, and each that could has a main thread that reads. */
static bool is_left_alone(const struct group *group, uint32_t i, const uint32_t *reader)
{
	const struct snapshot *snapshot = group->snapshot;
	const struct wait *wait = group_wait(group, i);
	bool other = false;

	for (uint32_t k = 0; k < wait->count; k++)
		if (!reads_too(group, i, group->graph->waits->who.item[wait->begin + k], reader,
			       &other))
			return false;
	for (uint32_t k = 0; wait->by_job && k < snapshot->processes.count; k++)
		if (!role_text(role_of(group_process(group, snapshot->processes.item[k].slot))) &&
		    !reads_too(group, i, k, reader, &other))
			return false;
	return other;
}

/*
 * For a signal in shared memory that is not kept: at a condition, not an event, at which a program may park. So it may at a
 * semaphore, but not for as long as a job rests if it has taken a unit of it before.
 */
static bool awaits_notify(const struct group *group, uint32_t i)
{
	const struct snapshot_thread *thread = group_thread(group, i);
	uint64_t kind = group_wait(group, i)->kind;

	return thread->object.is_shared &&
	       (kind == MPSAN_WAIT_COND ||
		(kind == MPSAN_LOCK_SEMAPHORE && (pythread_awaits_shared_notify(thread) ||
						  (group->is_job && was_taken(group, i)))));
}

static bool may_be_reader(const struct group *group, uint32_t i)
{
	const struct snapshot_thread *thread = group_thread(group, i);
	const struct wait *wait = group_wait(group, i);

	return thread->tid == thread->pid && wait->end == WAIT_PROCESSES &&
	       ((wait_is_read(wait) && !wait->by_job) || awaits_notify(group, i));
}

void idle_find_readers(const struct group *group)
{
	uint32_t count = group->snapshot->processes.count;
	AUTO_FREE uint32_t *reader = memory_get((count + 1) * sizeof(*reader));
	bool more = true;

	for (uint32_t k = 0; k < count; k++)
		reader[k] = PARKED_NONE;
	for (uint32_t i = 0; i < group->count; i++)
		if (may_be_reader(group, i))
			reader[group_thread(group, i)->process] = i;
	while (more) {
		more = false;
		for (uint32_t k = 0; k < count; k++)
			if (reader[k] != PARKED_NONE && !is_left_alone(group, reader[k], reader)) {
				reader[k] = PARKED_NONE;
				more = true;
			}
	}
	for (uint32_t i = 0; i < group->count; i++)
		group_entry(group, i)->life.from_readers =
			reader[group_thread(group, i)->process] == i;
}

bool idle_is_for_own(const struct group *group, uint32_t i)
{
	const struct wait *wait = group_wait(group, i);

	for (uint32_t k = 0; k < wait->count; k++)
		if (group->graph->waits->who.item[wait->begin + k] !=
		    group_thread(group, i)->process)
			return false;
	return wait->end == WAIT_PROCESSES;
}
