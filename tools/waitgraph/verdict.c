/* SPDX-License-Identifier: Apache-2.0 */
/* Writes blocked threads and the deadlock that they form to the supervisor's log. */
#include "verdict.h"

#include <stdlib.h>

#include "../facts/roles.h"
#include "../job/picture.h"
#include "../proc/calls.h"
#include "../waits/native.h"
#include "../waits/pythreads.h"
#include "handlers.h"
#include "in_vain.h"
#include "pipe_holders.h"

/* Whether it waits for a shared semaphore that was not made with the one permit of a lock. */
static bool is_signal(struct deadlocks *deadlocks, uint32_t index)
{
	const struct wait *wait = &deadlocks->waits.item.item[index];

	return wait->kind == MPSAN_LOCK_SEMAPHORE && wait->flags & MPSAN_LF_SHARED &&
	       pshared_first(waits_shared(&deadlocks->waits),
			     deadlocks_thread(deadlocks, index)->slot, wait->lock) != 1;
}

/* The owner, and where it acquired the lock. */
static void state_owner(struct deadlocks *deadlocks, uint32_t index, struct ev_blocked *event)
{
	const struct wait *wait = &deadlocks->waits.item.item[index];
	uint32_t first = wait->count ? deadlocks->waits.who.item[wait->begin] : SNAPSHOT_NONE,
		 only = pipe_only(&deadlocks->waits, index),
		 by = deadlocks->graph.solved.next[index];
	const struct snapshot_thread *waiter = deadlocks_thread(deadlocks, index);
	struct mpsan_hold hold;

	if (only == SNAPSHOT_NONE)
		only = pipe_holder(&deadlocks->waits, index);
	if (by == JOB_NONE)
		by = wait->end == WAIT_OWNERS ? first : wait->holder;
	event->taken = wait->taken;
	event->taken_slot = wait->gone_slot;
	if (by != SNAPSHOT_NONE) {
		const struct snapshot_thread *owner = deadlocks_thread(deadlocks, by);

		event->owner_slot = owner->slot + 1;
		event->owner = owner->own_tid;
		if (snapshot_holds(owner, wait->lock, &hold)) {
			event->taken = hold.caller;
			event->taken_slot = owner->slot + 1;
		}
	} else if (wait->end == WAIT_NOBODY) {
		event->owner = wait->gone;
		event->owner_slot = wait->gone_slot;
	} else if (only != SNAPSHOT_NONE) {
		event->owner_slot = deadlocks->snapshot.processes.item[only].slot + 1;
	}
	/* a permit that the waiter has, and nobody else is known to, of what serves as a lock */
	if (!event->owner && !event->taken_slot && wait->lock && !is_signal(deadlocks, index) &&
	    snapshot_holds(waiter, wait->lock, &hold)) {
		event->taken = hold.caller;
		event->taken_slot = waiter->slot + 1;
	}
}

/* It may be the waiter itself. NULL: it is unknown. */
static const struct snapshot_thread *owner_of(struct deadlocks *deadlocks,
					      const struct ev_blocked *event)
{
	uint32_t owner = event->owner && event->owner_slot && event->lock ?
				 snapshot_find(&deadlocks->snapshot,
					       (uint32_t)event->owner_slot - 1,
					       (uint32_t)event->owner) :
				 SNAPSHOT_NONE;

	return owner == SNAPSHOT_NONE ? NULL : deadlocks_thread(deadlocks, owner);
}

/* The address of the lock in the process of its owner. */
static uint64_t lock_of_owner(const struct snapshot_thread *thread, const struct ev_blocked *event)
{
	const struct snapshot_python *python = &thread->python;

	return python->known && python->owner_lock && python->lock == event->lock ?
		       python->owner_lock :
		       event->lock;
}

/* Where the owner took a lock of Python's. */
static uint64_t state_taken(struct deadlocks *deadlocks, const struct snapshot_thread *thread,
			    const struct ev_blocked *event)
{
	const struct snapshot_thread *owner = owner_of(deadlocks, event);
	AUTO_FREE char *text = NULL;

	if (!owner)
		return 0;
	text = pythread_taken(owner, lock_of_owner(thread, event));
	return *text ? watchlog_text(&deadlocks->log, thread->slot, text) : 0;
}

static uint64_t state_python(struct deadlocks *deadlocks, const struct snapshot_thread *thread)
{
	AUTO_FREE char *text = pythread_stack(thread);

	return *text ? watchlog_text(&deadlocks->log, thread->slot, text) : 0;
}

static uint64_t state_raised(struct deadlocks *deadlocks, const struct snapshot_thread *thread)
{
	AUTO_FREE char *text = pythread_raised(thread);

	return *text ? watchlog_text(&deadlocks->log, thread->slot, text) : 0;
}

/* Who has the other end of the pipe at which it waits. */
static uint64_t state_ends(struct deadlocks *deadlocks, uint32_t index)
{
	AUTO_FREE char *text = pipe_text(&deadlocks->waits, index);
	uint32_t slot = deadlocks_thread(deadlocks, index)->slot;

	return *text ? watchlog_text(&deadlocks->log, slot, text) : 0;
}

static uint64_t state_name(struct deadlocks *deadlocks, const struct snapshot_thread *thread)
{
	AUTO_FREE char *text = pythread_name(thread);

	return *text ? watchlog_text(&deadlocks->log, thread->slot, text) : 0;
}

/*
 * The mutex for which it is parked, if that is the wait: the semaphore is one of its own. 0: it waits for
 * something else, or it is known who has it.
 */
static uint64_t unowned_mutex(const struct snapshot_thread *thread, const struct ev_blocked *event)
{
	return event->kind == MPSAN_LOCK_SEMAPHORE && thread->python.known &&
			       thread->python.lock == event->lock ?
		       thread->python.mutex :
		       0;
}

/* States who probably has it. */
static void state_taker(struct deadlocks *deadlocks, const struct snapshot_thread *thread,
			struct ev_blocked *event)
{
	uint32_t taker = event->owner ? SNAPSHOT_NONE :
					pythread_taker(&deadlocks->snapshot, thread);

	if (taker != SNAPSHOT_NONE)
		event->taker = deadlocks_thread(deadlocks, taker)->own_tid;
}

/* The TID of the only thread that claims the lock, and has ended; 0: none. */
static uint32_t ended_taker(const struct snapshot *snapshot, uint32_t slot, uint64_t lock)
{
	const struct mpsan_thread *thread;
	struct mpsan_hold hold;
	uint32_t found = 0;

	for (uint32_t i = 0; i < MPSAN_THREADS; i++) {
		thread = threads_record_at(snapshot->reader, slot, i);
		if (!thread || !thread->tid || !threads_record_holds(thread, lock, &hold))
			continue;
		if (found || snapshot_find(snapshot, slot, thread->tid) != SNAPSHOT_NONE)
			return 0;
		found = thread->tid;
	}
	return found;
}

/* States which thread took the lock of Python's and has ended. */
static void state_ended_taker(struct deadlocks *deadlocks, const struct snapshot_thread *thread,
			      struct ev_blocked *event)
{
	if (event->owner || event->taken_slot || event->taker ||
	    !(event->flags & MPSAN_LF_PYTHON) || event->flags & MPSAN_LF_SHARED || !event->lock)
		return;
	event->taker = ended_taker(&deadlocks->snapshot, thread->slot, event->lock);
	event->flags |= event->taker ? MPSAN_LF_OWNER_DEAD : 0;
}

/* A thread is parked at a semaphore of its own, which is nothing but a futex if no hook saw it made. */
static bool may_be_pythons(const struct ev_blocked *event)
{
	return event->kind == MPSAN_LOCK_PYTHON || event->kind == MPSAN_LOCK_SEMAPHORE ||
	       (event->kind == MPSAN_WAIT_FUTEX && !(event->flags & MPSAN_LF_SHARED));
}

/* The lock of an import is named by its module, "" for others. */
static char *import_lock_name(const struct snapshot_thread *thread)
{
	AUTO_FREE char *module = pythread_awaited_import(thread);

	return *module ? text_format("import lock of \"%s\"", module) : text_copy("");
}

/* States the name that the program gave to a lock of Python's, or to a semaphore. */
static void state_lock_name(struct deadlocks *deadlocks, const struct snapshot_thread *thread,
			    const struct ev_blocked *event)
{
	const struct snapshot_thread *owner = owner_of(deadlocks, event);
	char *text = import_lock_name(thread);
	struct ev_lock_name name = {.lock = event->lock};

	if (!*text) {
		free(text);
		text = pythread_lock_name(thread, event->lock, false);
	}
	if (!*text && owner) {
		free(text);
		text = pythread_lock_name(owner, lock_of_owner(thread, event), true);
	}
	if (!*text && event->kind == MPSAN_LOCK_SEMAPHORE && event->flags & MPSAN_LF_SHARED) {
		free(text);
		text = proc_semaphore_name(thread->pid, event->lock);
	}
	if (*text) {
		name.name = watchlog_text(&deadlocks->log, thread->slot, text);
		watchlog_put(&deadlocks->log, EV_lock_name, thread->slot, thread->own_tid, &name,
			     sizeof(name));
	}
	free(text);
}

/* Waits with a limit, of which each begins when the one before has ended, are one. */
static uint64_t since(const struct deadlocks *deadlocks, uint32_t index)
{
	const struct snapshot_thread *thread = &deadlocks->snapshot.threads.item[index];
	uint64_t began_ns = wait_since(&deadlocks->snapshot, &deadlocks->waits, index);
	uint64_t rests_ns = snapshot_rests(&deadlocks->snapshot, thread);

	if (in_vain_gil_since(deadlocks, thread))
		return in_vain_gil_since(deadlocks, thread);
	if (in_vain_spins(deadlocks, thread))
		return deadlocks_entry(deadlocks, index)->run.since_ns;
	return rests_ns && rests_ns < began_ns ? rests_ns : began_ns;
}

/* Who asks in vain for the lock that a thread releases at its end waits for that thread. */
static uint64_t kind_of(const struct wait *wait)
{
	if (wait->tries && wait->joins)
		return MPSAN_WAIT_JOIN;
	return wait->kind ? wait->kind : MPSAN_WAIT_SYSCALL;
}

/* What the kernel says of it: its call, or why it does not run. */
static char *detail_text(const struct deadlocks *deadlocks, const struct snapshot_thread *thread)
{
	if (in_vain_spins(deadlocks, thread))
		return text_copy("a change of what its loop tests");
	if (in_vain_gil_since(deadlocks, thread))
		return text_copy("nothing: it runs, and has the GIL");
	if (!proc_is_stopped(thread->pid, thread->tid))
		return call_text(thread->pid, thread->tid, &thread->call);
	return text_format(WAIT_STOPPED " (kill -CONT %u lets it go on)", thread->pid);
}

struct ev_blocked verdict_describe(struct deadlocks *deadlocks, uint32_t index, uint64_t flags)
{
	const struct snapshot_thread *thread = deadlocks_thread(deadlocks, index);
	const struct ledger_entry *entry = deadlocks_entry(deadlocks, index);
	const struct wait *wait = &deadlocks->waits.item.item[index];
	bool stopped = proc_is_stopped(thread->pid, thread->tid);
	bool goes_on = stopped && wait->end == WAIT_OPEN; /* but for the stop */
	struct ev_blocked event = {
		.lock = goes_on ? 0 : wait->lock,
		.kind = goes_on ? MPSAN_WAIT_SYSCALL : kind_of(wait),
		.flags = wait->flags | flags |
			 (entry->life.may_be_meant || wait_is_doubted(wait) ? MPSAN_LF_DOUBT : 0) |
			 (entry->life.from_readers ? MPSAN_LF_READERS : 0) |
			 (in_vain_spins(deadlocks, thread) ? MPSAN_LF_SPINS : 0) |
			 (native_exits(deadlocks->waits.native, &deadlocks->snapshot, thread) ?
				  MPSAN_LF_EXIT :
				  0),
		.since = since(deadlocks, index),
		.ends = wait->ends,
		.ends_ns = wait->ends_ns,
		.caller = wait->caller,
		.stack = watchlog_stack(&deadlocks->log, thread),
		.python = state_python(deadlocks, thread),
		.name = state_name(deadlocks, thread),
		.wakes = stopped ? 0 : snapshot_wakes(thread),
		.open_by = state_ends(deadlocks, index),
		.raised = state_raised(deadlocks, thread),
		.cleans = pythread_cleans(thread),
	};
	AUTO_FREE char *call = detail_text(deadlocks, thread);
	uint64_t mutex = unowned_mutex(thread, &event);

	/* The interpreter's own calls: the lock belongs to the Python program. */
	if (pythread_is_code(thread->pid, wait->caller))
		event.flags |= MPSAN_LF_PYTHON;
	if (pythread_is_queued_for(thread) ||
	    (wait->kind == MPSAN_WAIT_PIPE_READ && pythread_lacks_item(thread)))
		event.flags |= MPSAN_LF_QUEUED;
	if (mutex)
		event.lock = mutex;
	event.detail = watchlog_text(&deadlocks->log, thread->slot, call);
	state_owner(deadlocks, index, &event);
	if (may_be_pythons(&event))
		state_lock_name(deadlocks, thread, &event);
	if (mutex)
		state_taker(deadlocks, thread, &event);
	state_ended_taker(deadlocks, thread, &event);
	event.taken_python = state_taken(deadlocks, thread, &event);
	return event;
}

bool verdict_is_full(const struct deadlocks *deadlocks, const struct verdict *verdict)
{
	return verdict->count >=
	       (watchlog_is_half_full(&deadlocks->log) ? VERDICT_FEW : VERDICT_MAX);
}

void verdict_put(struct deadlocks *deadlocks, struct verdict *verdict, uint32_t slot, uint32_t tid,
		 const struct ev_blocked *event)
{
	uint64_t position =
		watchlog_put(&deadlocks->log, EV_blocked, slot, tid, event, sizeof(*event));

	if (verdict->count++)
		return;
	verdict->first = position;
	verdict->slot = slot;
	verdict->tid = tid;
	verdict->ends = event->ends;
}

void verdict_add_open(struct deadlocks *deadlocks, struct verdict *verdict, uint32_t index,
		      uint64_t flags)
{
	const struct snapshot_thread *thread = deadlocks_thread(deadlocks, index);
	struct ev_blocked event;

	if (verdict_is_full(deadlocks, verdict) ||
	    (verdict->count >= VERDICT_FEW && thread->tid != thread->pid))
		return;
	event = verdict_describe(deadlocks, index, flags);
	verdict_put(deadlocks, verdict, thread->slot, thread->own_tid, &event);
}

void verdict_add(struct deadlocks *deadlocks, struct verdict *verdict, uint32_t index,
		 uint64_t flags)
{
	deadlocks_entry(deadlocks, index)->round.told = true;
	verdict_add_open(deadlocks, verdict, index, flags);
}

/*
 * The handlers that alone could end the first wait. Those in Python run in its main thread, where
 * they may raise an exception, even if that waits for an owner.
 */
static uint64_t state_handlers(struct deadlocks *deadlocks, const struct verdict *verdict)
{
	const struct session *session = &deadlocks->reader->session;
	const struct mpsan_process *process = &session->table[verdict->slot];
	bool main_thread = process->python && verdict->tid == process->pid;
	AUTO_FREE char *text = NULL;

	if (verdict->ends == MPSAN_ENDS_TIMER)
		text = handlers_text(session, verdict->slot, HANDLER_ALARM);
	else if (verdict->ends == MPSAN_ENDS_HANDLER ||
		 (verdict->ends == MPSAN_ENDS_NEVER && main_thread))
		text = handlers_text(session, verdict->slot, UINT64_MAX);
	return text ? watchlog_text(&deadlocks->log, verdict->slot, text) : 0;
}

#define PICTURE_THREADS 64u /* of a larger job `mpsan ps --job` shows more */

/* The job as it is drawn in tests: see ../job/picture.h. */
static uint64_t state_picture(struct deadlocks *deadlocks, uint32_t slot)
{
	const struct job *job = &deadlocks->graph.job;
	struct job_solution solution = {0};
	AUTO_FREE char *text = NULL;
	size_t bytes;
	FILE *out;

	if (!job->threads.count || job->threads.count > PICTURE_THREADS)
		return 0;
	out = open_memstream(&text, &bytes);
	if (!out)
		return 0;
	job_solve(job, UINT64_MAX, &solution);
	picture_write(out, job, &solution, deadlocks->snapshot.now_ns);
	job_solution_finish(&solution);
	return fclose(out) ? 0 : watchlog_text(&deadlocks->log, slot, text);
}

uint64_t verdict_close(struct deadlocks *deadlocks, const struct verdict *verdict,
		       enum mpsan_deadlock_cause cause, uint32_t dead_slot, const char *detail)
{
	struct ev_deadlock event = {.cause = cause,
				    .first = verdict->first,
				    .count = verdict->count,
				    .dead_slot = dead_slot,
				    .handlers = state_handlers(deadlocks, verdict),
				    .picture = state_picture(deadlocks, verdict->slot),
				    .detail =
					    watchlog_text(&deadlocks->log, verdict->slot, detail)};

	return watchlog_put(&deadlocks->log, EV_deadlock, verdict->slot, verdict->tid, &event,
			    sizeof(event));
}

bool verdict_leaves_out(struct deadlocks *deadlocks, uint32_t index)
{
	uint32_t slot = deadlocks_thread(deadlocks, index)->slot;

	return role_text(role_of(&deadlocks->reader->session.table[slot]));
}

/* ---- groups ---- */

static bool is_of_group(const struct deadlocks *deadlocks, uint32_t index, uint32_t group)
{
	return deadlocks->graph.solved.group[index] == group && !deadlocks_told(deadlocks, index);
}

/* What it waits for, and how: threads that wait alike have the same. */
static uint64_t manner_of(struct deadlocks *deadlocks, uint32_t index)
{
	const struct wait *wait = &deadlocks->waits.item.item[index];
	struct pythread_wait python = pythread_wait(deadlocks_thread(deadlocks, index), wait->lock);

	return (uint64_t)wait->kind << 56 ^ (uint64_t)python.frames.what << 48 ^ wait->caller;
}

/* The manner of most of a group that has too many to record them all, if it is that of more than half; 0: it has not. */
static uint64_t crowd_of(struct deadlocks *deadlocks, uint32_t group)
{
	uint64_t crowd = 0;
	uint32_t count = 0, votes = 0;

	for (uint32_t i = 0; i < deadlocks->graph.solved.count; i++)
		count += is_of_group(deadlocks, i, group);
	for (uint32_t i = 0; count > VERDICT_FEW && i < deadlocks->graph.solved.count; i++) {
		uint64_t manner = is_of_group(deadlocks, i, group) ? manner_of(deadlocks, i) : 0;

		if (!manner)
			continue;
		crowd = votes ? crowd : manner;
		votes += manner == crowd ? 1 : -1;
	}
	return crowd;
}

/* Those that wait for an end, the next one, those that are not of the crowd, and the rest. */
enum turn { TURN_ENDS, TURN_FIRST, TURN_DIFFERENT, TURN_REST, TURNS };

static bool is_its_turn(struct deadlocks *deadlocks, const struct verdict *verdict, uint32_t index,
			enum turn turn, uint64_t crowd)
{
	switch (turn) {
	case TURN_ENDS:
		return deadlocks->waits.item.item[index].kind == MPSAN_WAIT_PROCESS;
	case TURN_FIRST:
		return !verdict->count;
	case TURN_DIFFERENT:
		return crowd && manner_of(deadlocks, index) != crowd;
	default:
		return true;
	}
}

void verdict_add_group(struct deadlocks *deadlocks, struct verdict *verdict, uint32_t group)
{
	uint64_t crowd = crowd_of(deadlocks, group);

	for (enum turn turn = 0; turn < TURNS; turn++)
		for (uint32_t i = 0; i < deadlocks->graph.solved.count; i++) {
			if (!is_of_group(deadlocks, i, group) ||
			    !is_its_turn(deadlocks, verdict, i, turn, crowd))
				continue;
			if (verdict_leaves_out(deadlocks, i))
				deadlocks_entry(deadlocks, i)->round.told = true;
			else
				verdict_add(deadlocks, verdict, i, 0);
		}
}

uint32_t verdict_dead_process(const struct deadlocks *deadlocks, uint32_t orphan)
{
	uint32_t slot = deadlocks->waits.item.item[orphan].gone_slot;

	return slot && deadlocks->reader->processes[slot - 1].gone ? slot : 0;
}

bool verdict_told_group(struct deadlocks *deadlocks, uint32_t group)
{
	for (uint32_t i = 0; i < deadlocks->graph.solved.count; i++)
		if (deadlocks->graph.solved.group[i] == group && deadlocks_told(deadlocks, i))
			return true;
	return false;
}
