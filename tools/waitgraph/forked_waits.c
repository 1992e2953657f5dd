/* SPDX-License-Identifier: Apache-2.0 */
/* Finds waits of forked children that their parents' threads would have to end. */
#include "forked_waits.h"

#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "../reader/threads.h"
#include "../waits/fork_holder.h"
#include "../waits/openmp.h"
#include "../waits/outside.h"
#include "../waits/pythreads.h"
#include "verdict.h"

#define LOOKS 2u /* in which the thread has not run */

/* ---- the process ---- */

static const struct mpsan_process *row_of(const struct deadlocks *deadlocks, uint32_t slot)
{
	return &deadlocks->reader->session.table[slot];
}

static uint32_t parent_of(const struct deadlocks *deadlocks, const struct snapshot_thread *thread)
{
	return fork_parent(&deadlocks->snapshot, thread->process);
}

static bool is_alone(const struct deadlocks *deadlocks, const struct snapshot_thread *thread)
{
	const struct snapshot_process *process =
		&deadlocks->snapshot.processes.item[thread->process];

	return process->end - process->begin == 1;
}

/* ---- the holder ---- */

static const struct snapshot_thread *thread_of(const struct deadlocks *deadlocks, uint32_t process,
					       uint32_t tid)
{
	uint32_t index = process == SNAPSHOT_NONE ?
				 SNAPSHOT_NONE :
				 snapshot_find(&deadlocks->snapshot,
					       deadlocks->snapshot.processes.item[process].slot,
					       tid);

	return index == SNAPSHOT_NONE ? NULL : &deadlocks->snapshot.threads.item[index];
}

static uint64_t put_text(struct deadlocks *deadlocks, uint32_t slot, char *text)
{
	uint64_t position = *text ? watchlog_text(&deadlocks->log, slot, text) : 0;

	free(text);
	return position;
}

/* Records that this thread held the lock at the fork; the position of the event. */
static uint64_t put_held(struct deadlocks *deadlocks, const struct fork_holder *by,
			 const struct wait *wait)
{
	const struct snapshot_thread *holder = by->thread;
	struct ev_held held = {
		.fork = by->fork,
		.lock = wait->lock,
		.kind = wait->kind,
		.flags = wait->flags | (by->probably ? MPSAN_LF_PROBABLY : 0),
		.holder = holder->own_tid,
		.thread_name = put_text(deadlocks, holder->slot, pythread_name(holder)),
	};

	if (!held.fork)
		return 0;
	if (row_of(deadlocks, holder->slot)->python) {
		held.taken = put_text(deadlocks, holder->slot, pythread_taken(holder, wait->lock));
		held.flags |= held.taken ? MPSAN_LF_PYTHON : 0;
	}
	return watchlog_put(&deadlocks->log, EV_held, holder->slot, holder->own_tid, &held,
			    sizeof(held));
}

/* ---- the wait ---- */

/* Records the name of a lock of Python's. True: it is an import lock. */
static bool put_name(struct deadlocks *deadlocks, const struct snapshot_thread *thread,
		     uint64_t lock)
{
	char *text = pythread_awaited_import(thread);
	bool import = *text;
	struct ev_lock_name name = {.lock = lock};

	if (!import) {
		free(text);
		text = pythread_lock_name(thread, lock, false);
	}
	name.name = put_text(deadlocks, thread->slot, text);
	if (name.name)
		watchlog_put(&deadlocks->log, EV_lock_name, thread->slot, thread->own_tid, &name,
			     sizeof(name));
	return import;
}

/* Records the name of the library whose pool it is, and the place of the region. */
static void put_pool(struct deadlocks *deadlocks, const struct snapshot_thread *thread,
		     struct ev_wait *event)
{
	uint64_t back = openmp_called(deadlocks->waits.native, thread, OPENMP_REGION);
	struct ev_lock_name name = {.lock = event->lock};
	struct proc_mapping mapping;

	if (!proc_mapping(thread->pid, event->caller, &mapping))
		return;
	event->kind = MPSAN_WAIT_POOL;
	event->caller = back ?: event->caller;
	name.name = put_text(deadlocks, thread->slot, text_copy(path_base(mapping.path)));
	watchlog_put(&deadlocks->log, EV_lock_name, thread->slot, thread->own_tid, &name,
		     sizeof(name));
}

static void put_wait(struct deadlocks *deadlocks, uint32_t index, enum mpsan_wait_reason reason,
		     uint32_t owner, const struct fork_holder *holder)
{
	const struct snapshot_thread *thread = &deadlocks->snapshot.threads.item[index];
	const struct wait *wait = &deadlocks->waits.item.item[index];
	struct ev_wait event = {
		.lock = wait->lock,
		.kind = wait->kind,
		.flags = wait->flags | MPSAN_LF_VERIFIED,
		.reason = reason,
		.owner = owner,
		.held = holder->thread ? put_held(deadlocks, holder, wait) : 0,
		.held_slot = deadlocks->reader->session.slots,
		.caller = wait->caller,
		.stack = watchlog_stack(&deadlocks->log, thread),
		.python = put_text(deadlocks, thread->slot, pythread_stack(thread)),
		.threads = is_alone(deadlocks, thread),
		.raised = put_text(deadlocks, thread->slot, pythread_raised(thread)),
	};

	if (reason == MPSAN_WAIT_TEAM)
		put_pool(deadlocks, thread, &event);
	if (pythread_is_code(thread->pid, wait->caller))
		event.flags |= MPSAN_LF_PYTHON;
	if (event.flags & MPSAN_LF_PYTHON && put_name(deadlocks, thread, wait->lock))
		event.kind = MPSAN_LOCK_IMPORT;
	watchlog_put(&deadlocks->log, EV_wait, thread->slot, thread->own_tid, &event,
		     sizeof(event));
	deadlocks_entry(deadlocks, index)->round.told = true;
}

/* Numbers of threads grow: one that is lower than its own process's was given before the fork. */
static bool is_older(const struct snapshot_thread *thread, uint32_t tid)
{
	return tid < thread->own_tid && tid < thread->pid;
}

/* A thread with a lower number than its process: numbers have begun again since. */
static bool has_wrapped(const struct deadlocks *deadlocks, const struct snapshot_thread *thread)
{
	const struct snapshot_process *process =
		&deadlocks->snapshot.processes.item[thread->process];

	for (uint32_t i = process->begin; i < process->end; i++)
		if (deadlocks->snapshot.threads.item[i].tid < thread->pid)
			return true;
	return false;
}

/* A lock whose memory names an owner that is no thread of this process. */
static void state_orphan(struct deadlocks *deadlocks, uint32_t index)
{
	const struct snapshot_thread *thread = &deadlocks->snapshot.threads.item[index];
	const struct wait *wait = &deadlocks->waits.item.item[index];
	uint32_t parent = parent_of(deadlocks, thread),
		 forker = fork_forker(&deadlocks->snapshot, thread->process);
	const struct snapshot_thread *holder = thread_of(deadlocks, parent, wait->gone);

	if (!holder && !is_older(thread, wait->gone))
		return;
	put_wait(deadlocks, index, wait->gone == forker ? MPSAN_WAIT_OWN : MPSAN_WAIT_ORPHAN,
		 wait->gone,
		 &(struct fork_holder){.thread = holder,
				       .fork = row_of(deadlocks, thread->slot)->fork_pos});
}

/* The PyMutex that a thread which waits for this semaphore is parked for; 0: it waits for something else. */
static uint64_t awaited_mutex(const struct snapshot_thread *thread, uint64_t semaphore)
{
	return thread->python.known && thread->python.lock == semaphore ? thread->python.mutex : 0;
}

typedef struct fork_holder holder_find(const struct snapshot *snapshot,
				       const struct snapshot_thread *waiter, uint64_t lock,
				       bool mutex);

/* The thread of an ancestor that holds the lock of Python's for which a thread waits, which has not moved since. */
static struct fork_holder holder_of(const struct deadlocks *deadlocks, uint32_t index,
				    holder_find *find)
{
	const struct snapshot_thread *thread = &deadlocks->snapshot.threads.item[index];
	const struct wait *wait = &deadlocks->waits.item.item[index];
	struct fork_holder holder = {0};
	uint64_t mutex;

	if (!row_of(deadlocks, thread->slot)->python ||
	    (wait->kind != MPSAN_LOCK_SEMAPHORE && wait->kind != MPSAN_LOCK_PYTHON))
		return holder;
	mutex = awaited_mutex(thread, wait->lock);
	holder = find(&deadlocks->snapshot, thread, mutex ? mutex : wait->lock, mutex);
	return holder.thread && !snapshot_has_moved(thread) ? holder : (struct fork_holder){0};
}

static bool state_held(struct deadlocks *deadlocks, uint32_t index, holder_find *find)
{
	const struct snapshot_thread *thread = &deadlocks->snapshot.threads.item[index];
	struct wait *wait = &deadlocks->waits.item.item[index];
	struct fork_holder holder = holder_of(deadlocks, index, find);
	uint64_t mutex = awaited_mutex(thread, wait->lock);

	if (!holder.thread)
		return false;
	if (mutex) {
		wait->kind = MPSAN_LOCK_PYTHON;
		wait->lock = mutex;
	}
	wait->flags |= MPSAN_LF_MUTUAL;
	put_wait(deadlocks, index, MPSAN_WAIT_ORPHAN, holder.thread->own_tid, &holder);
	return true;
}

/*
 * Whether a thread of Python waits for news that it may want from nobody but a signal: by a condition, or a
 * SimpleQueue, that is not known to be older than the fork.
 */
static bool may_be_its_own(const struct deadlocks *deadlocks, const struct snapshot_thread *thread,
			   uint64_t lock)
{
	uint32_t parent = parent_of(deadlocks, thread);
	uint64_t handle = thread->record ? thread->record->pthread : 0;
	AUTO_FREE struct pyview *child = NULL, *other = NULL;
	bool own = false;

	if (!row_of(deadlocks, thread->slot)->python || !handle)
		return false;
	child = pyview_open((pid_t)thread->pid);
	if (child && pyview_awaits_condition(child, handle)) {
		other = parent == SNAPSHOT_NONE ?
				NULL :
				pyview_open((pid_t)deadlocks->snapshot.processes.item[parent].pid);
		own = !other || !pyview_condition_is_of(child, handle, other);
	} else if (child) {
		own = pyview_awaits_simple(child, handle, lock);
	}
	return own;
}

/* Records where those threads of the parent began that are older than the child, if they are at rest. */
static void put_threads(struct deadlocks *deadlocks, const struct snapshot_thread *thread)
{
	const struct snapshot *snapshot = &deadlocks->snapshot;
	uint32_t parent = parent_of(deadlocks, thread);
	uint64_t start = proc_stat(thread->pid, thread->pid).start;
	const struct snapshot_process *process =
		parent == SNAPSHOT_NONE ? NULL : &snapshot->processes.item[parent];

	for (uint32_t i = process ? process->begin : 0; process && i < process->end; i++) {
		const struct snapshot_thread *other = &snapshot->threads.item[i];
		struct ledger_entry *entry = deadlocks_entry(deadlocks, i);
		struct ev_thread_start began = {
			.entry = other->record ? other->record->entry : 0,
			.start = row_of(deadlocks, thread->slot)->birth_ns,
		};

		if (!began.entry || entry->life.begun || other->tid == process->pid ||
		    !proc_precedes(other->pid, other->tid, thread->pid, start) ||
		    threads_at(deadlocks->reader, other->slot, other->own_tid, UINT64_MAX))
			continue;
		watchlog_put(&deadlocks->log, EV_thread_start, other->slot, other->own_tid, &began,
			     sizeof(began));
		entry->life.begun = true;
	}
}

/* Kinds of locks whose owner is not known, and which nobody else releases. */
static bool is_owned(uint64_t kind)
{
	return kind == MPSAN_LOCK_GUARD || kind == MPSAN_LOCK_LIBC;
}

/* Of the child's only thread: nobody else could end its wait in private memory. */
static void state_alone(struct deadlocks *deadlocks, uint32_t index)
{
	const struct snapshot_thread *thread = &deadlocks->snapshot.threads.item[index];
	const struct wait *wait = &deadlocks->waits.item.item[index];

	if (state_held(deadlocks, index, fork_holder_taker))
		return;
	put_threads(deadlocks, thread);
	put_wait(deadlocks, index,
		 is_owned(wait->kind)			 ? MPSAN_WAIT_ORPHAN :
		 outside_pool(thread->pid, wait->caller) ? MPSAN_WAIT_TEAM :
							   MPSAN_WAIT_ALONE,
		 0, &(struct fork_holder){0});
}

static bool is_sent(uint64_t kind)
{
	return kind == MPSAN_LOCK_SEMAPHORE || kind == MPSAN_LOCK_PYTHON ||
	       kind == MPSAN_WAIT_COND || kind == MPSAN_WAIT_BARRIER || kind == MPSAN_WAIT_FUTEX ||
	       is_owned(kind) || kind == MPSAN_LOCK_RWLOCK_READ || kind == MPSAN_LOCK_RWLOCK_WRITE;
}

/* Whether it waits in the library of a pool for good. */
static bool waits_in_pool(const struct deadlocks *deadlocks, uint32_t index)
{
	const struct snapshot_thread *thread = &deadlocks->snapshot.threads.item[index];
	const struct wait *wait = &deadlocks->waits.item.item[index];

	return thread->looks >= LOOKS && thread->call.number == SYS_futex &&
	       wait->ends == MPSAN_ENDS_NEVER && outside_pool(thread->pid, wait->caller) &&
	       !snapshot_has_moved(thread);
}

static bool awaits_team(const struct deadlocks *deadlocks, uint32_t index)
{
	const struct snapshot_thread *thread = &deadlocks->snapshot.threads.item[index];

	return outside_pool(thread->pid, deadlocks->waits.item.item[index].caller) &&
	       openmp_called(deadlocks->waits.native, thread, OPENMP_REGION);
}

/* Whether it is none of the pool for whose threads another one waits, and its stack was read while it stood. */
static bool in_other_library(const struct deadlocks *deadlocks, uint32_t index, const char *library)
{
	const struct snapshot_thread *thread = &deadlocks->snapshot.threads.item[index];

	return outside_is_apart(deadlocks->snapshot.outside, thread, library) &&
	       !snapshot_has_moved(thread);
}

/*
 * Whether it waits in the library of a pool for threads that the fork did not copy: all threads that the library
 * made since then wait there, too. Other threads may go on if it waits for nobody but its team.
 */
static bool is_short_team(const struct deadlocks *deadlocks, uint32_t index)
{
	const struct snapshot *snapshot = &deadlocks->snapshot;
	const struct snapshot_thread *thread = &snapshot->threads.item[index];
	const struct snapshot_process *process = &snapshot->processes.item[thread->process];
	const char *library;

	if (thread->tid != thread->pid || !waits_in_pool(deadlocks, index))
		return false;
	library = outside_pool(thread->pid, deadlocks->waits.item.item[index].caller);
	for (uint32_t i = process->begin; i < process->end; i++)
		if (!waits_in_pool(deadlocks, i) &&
		    !(in_other_library(deadlocks, i, library) && awaits_team(deadlocks, index)))
			return false;
	return true;
}

static bool nobody_else_acts(const struct deadlocks *deadlocks, uint32_t index)
{
	return is_alone(deadlocks, &deadlocks->snapshot.threads.item[index]) ||
	       is_short_team(deadlocks, index);
}

/* Whether nobody can act from outside of the process either, and no handler of a signal. */
static bool no_outside_ender(struct deadlocks *deadlocks, uint32_t index)
{
	struct wait *wait = &deadlocks->waits.item.item[index];

	wait->of_team = awaits_team(deadlocks, index);
	waits_check_handlers(&deadlocks->waits, index);
	return wait->end != WAIT_OPEN && !waits_check_memory(&deadlocks->waits, index) &&
	       wait->ends == MPSAN_ENDS_NEVER;
}

static bool parent_has_others(const struct deadlocks *deadlocks,
			      const struct snapshot_thread *thread)
{
	uint32_t parent = parent_of(deadlocks, thread), older = 0;
	uint64_t start = proc_stat(thread->pid, thread->pid).start;
	const struct snapshot_process *process =
		parent == SNAPSHOT_NONE ? NULL : &deadlocks->snapshot.processes.item[parent];

	for (uint32_t i = process ? process->begin : 0; process && i < process->end; i++)
		older += proc_precedes(process->pid, deadlocks->snapshot.threads.item[i].tid,
				       thread->pid, start);
	return older > 1;
}

/*
 * Whether a thread may itself have left libc's lock locked: it runs a handler of the signal that interrupted
 * it, or nobody else is known who could have had the lock at the fork.
 */
static bool may_have_it(const struct deadlocks *deadlocks, uint32_t index)
{
	const struct snapshot_thread *thread = &deadlocks->snapshot.threads.item[index];

	return deadlocks->waits.item.item[index].kind == MPSAN_LOCK_LIBC &&
	       (!parent_has_others(deadlocks, thread) ||
		outside_in_handler(deadlocks->snapshot.outside, thread));
}

/*
 * Whether no fork left a thread behind: the child has inherited the C library's flag. The beginner's program posts the
 * parent's copy of a semaphore all the same.
 */
static bool none_was_left(const struct deadlocks *deadlocks, const struct snapshot_thread *thread,
			  uint64_t kind)
{
	return (kind != MPSAN_LOCK_SEMAPHORE || row_of(deadlocks, thread->slot)->python) &&
	       proc_is_single(thread->pid);
}

static void forked_waits_look(struct deadlocks *deadlocks, uint32_t index)
{
	const struct snapshot_thread *thread = &deadlocks->snapshot.threads.item[index];
	const struct wait *wait = &deadlocks->waits.item.item[index];

	if (deadlocks_told(deadlocks, index) || thread->looks < LOOKS ||
	    thread->call.number != SYS_futex || wait->flags & MPSAN_LF_SHARED ||
	    wait->ends != MPSAN_ENDS_NEVER)
		return;
	if (wait->end == WAIT_NOBODY) {
		state_orphan(deadlocks, index);
	} else if (row_of(deadlocks, thread->slot)->how == MPSAN_HOW_FORK &&
		   wait->end == WAIT_PROCESSES && is_sent(wait->kind) &&
		   nobody_else_acts(deadlocks, index) && !wait->memory && wait->count == 1 &&
		   /* what a `with` block releases no signal handler does */
		   !state_held(deadlocks, index, fork_holder_find) &&
		   no_outside_ender(deadlocks, index) &&
		   !may_be_its_own(deadlocks, thread, wait->lock) &&
		   !may_have_it(deadlocks, index) &&
		   !none_was_left(deadlocks, thread, wait->kind) && !snapshot_has_moved(thread)) {
		state_alone(deadlocks, index);
	}
}

/* Where the parent is not examined, an owner that is older than the process says that it was forked. */
static bool may_be_forked(const struct deadlocks *deadlocks, const struct snapshot_thread *thread)
{
	const struct mpsan_process *row = row_of(deadlocks, thread->slot);

	return row->how == MPSAN_HOW_FORK ||
	       (row->how == MPSAN_HOW_ROOT && !has_wrapped(deadlocks, thread));
}

/*
 * Whether the library has recorded who held the lock at the fork, and only doubts it because a signal's handler could
 * release the lock.
 */
static bool doubts_handlers(const struct fact_wait *wait)
{
	return !wait->end_ns && wait->ev.reason == MPSAN_WAIT_ORPHAN &&
	       wait->ev.flags & MPSAN_LF_SIGNALS && !fact_wait_is_proof(wait) &&
	       fact_wait_ends(wait) == MPSAN_ENDS_NEVER;
}

/* What a `with` block releases no handler does: that is asked here as it is from outside. */
static void prove(struct deadlocks *deadlocks, uint32_t index)
{
	const struct snapshot_thread *thread = &deadlocks->snapshot.threads.item[index];
	struct verdict verdict = {0};

	/* ever more rarely */
	if (deadlocks_told(deadlocks, index) || thread->looks < LOOKS ||
	    thread->looks & (thread->looks - 1) || !is_alone(deadlocks, thread) ||
	    !holder_of(deadlocks, index, fork_holder_find).thread)
		return;
	verdict_add(deadlocks, &verdict, index, 0);
	verdict_close(deadlocks, &verdict, MPSAN_DEADLOCK_DEAD_END, 0, NULL);
}

void forked_waits_prove(struct deadlocks *deadlocks)
{
	const struct reader *reader = deadlocks->reader;

	for (uint32_t i = 0; i < reader->waits.count; i++) {
		const struct fact_wait *wait = &reader->waits.item[i];
		uint32_t index = doubts_handlers(wait) ? snapshot_find(&deadlocks->snapshot,
								       wait->at.by, wait->at.tid) :
							 SNAPSHOT_NONE;

		if (index != SNAPSHOT_NONE)
			prove(deadlocks, index);
	}
}

void forked_waits_state(struct deadlocks *deadlocks)
{
	for (uint32_t i = 0; i < deadlocks->snapshot.threads.count; i++)
		if (may_be_forked(deadlocks, &deadlocks->snapshot.threads.item[i]))
			forked_waits_look(deadlocks, i);
}
