/* SPDX-License-Identifier: Apache-2.0 */
/* Takes snapshots, solves the wait-for graph, and records deadlocks in the supervisor's log. */
#include "deadlocks.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../proc/calls.h"
#include "idle.h"
#include "left_behind.h"
#include "pythreads.h"
#include "unseen.h"

#define LOOK_NS 250000000ull /* minimum time between two snapshots */
#define LOOK_MAX_NS 900000000ull /* maximum, however many threads there are */
#define SHARE 150u /* snapshots take at most 1/150 of the time */
#define TOLD_MAX 24u /* threads recorded per deadlock */

void deadlocks_init(struct deadlocks *deadlocks, const struct reader *reader,
		    uint64_t hang_after_ns)
{
	*deadlocks = (struct deadlocks){.reader = reader, .hang_after_ns = hang_after_ns};
	snapshot_init(&deadlocks->snapshot, reader);
	dead_owners_init(&deadlocks->dead_owners, reader);
	watchlog_open(&deadlocks->log, reader);
}

void deadlocks_finish(struct deadlocks *deadlocks)
{
	dead_owners_finish(&deadlocks->dead_owners);
	snapshot_finish(&deadlocks->snapshot);
	waits_finish(&deadlocks->waits);
	graph_finish(&deadlocks->graph);
	watchlog_close(&deadlocks->log);
}

static struct snapshot_thread *thread_at(struct deadlocks *deadlocks, uint32_t index)
{
	return &deadlocks->snapshot.threads.item[index];
}

/* ---- waits that the library has proved itself ---- */

static void mark_explained(struct deadlocks *deadlocks)
{
	const struct reader *reader = deadlocks->reader;

	for (uint32_t i = 0; i < reader->waits.count; i++) {
		const struct fact_wait *wait = &reader->waits.item[i];
		uint32_t index;

		if (wait->end_ns || !mpsan_wait_is_proof(&wait->ev))
			continue;
		index = snapshot_find(&deadlocks->snapshot, wait->at.by, wait->at.tid);
		if (index != SNAPSHOT_NONE)
			thread_at(deadlocks, index)->told = true;
	}
}

/* ---- one thread ---- */

/* The owner, and where it acquired the lock. */
static void state_owner(struct deadlocks *deadlocks, uint32_t index, struct ev_blocked *event)
{
	const struct wait *wait = &deadlocks->waits.item.item[index];
	uint32_t first = wait->count ? deadlocks->waits.who.item[wait->begin] : SNAPSHOT_NONE,
		 by = deadlocks->graph.next[index];
	struct mpsan_hold hold;

	if (by == GRAPH_NONE)
		by = wait->end == WAIT_OWNERS ? first : wait->holder;
	event->taken = wait->taken;
	event->taken_slot = wait->gone_slot;
	if (by != SNAPSHOT_NONE) {
		const struct snapshot_thread *owner = thread_at(deadlocks, by);

		event->owner_slot = owner->slot + 1;
		event->owner = owner->tid;
		if (snapshot_holds(owner, wait->lock, &hold)) {
			event->taken = hold.caller;
			event->taken_slot = owner->slot + 1;
		}
	} else if (wait->end == WAIT_NOBODY) {
		event->owner = wait->gone;
		event->owner_slot = wait->gone_slot;
	} else if (wait->end == WAIT_PROCESSES && wait->count == 1) {
		event->owner_slot = deadlocks->snapshot.processes.item[first].slot + 1;
	}
}

static uint64_t state_python(struct deadlocks *deadlocks, const struct snapshot_thread *thread)
{
	char *text = pythread_stack(thread);
	uint64_t position = *text ? watchlog_text(&deadlocks->log, thread->slot, text) : 0;

	free(text);
	return position;
}

static uint64_t state_name(struct deadlocks *deadlocks, const struct snapshot_thread *thread)
{
	char *text = pythread_name(thread);
	uint64_t position = *text ? watchlog_text(&deadlocks->log, thread->slot, text) : 0;

	free(text);
	return position;
}

static uint64_t state_thread(struct deadlocks *deadlocks, uint32_t index, uint64_t flags)
{
	const struct snapshot_thread *thread = thread_at(deadlocks, index);
	const struct wait *wait = &deadlocks->waits.item.item[index];
	struct ev_blocked event = {
		.lock = wait->lock,
		.kind = wait->kind,
		.flags = wait->flags | flags,
		.since = thread->still_ns,
		.caller = wait->caller,
		.stack = watchlog_stack(&deadlocks->log, thread),
		.python = state_python(deadlocks, thread),
		.name = state_name(deadlocks, thread),
	};
	char *call = call_text(thread->pid, &thread->call);

	/* The interpreter's own calls: the lock belongs to the Python program. */
	if (pythread_is_code(thread->pid, wait->caller))
		event.flags |= MPSAN_LF_PYTHON;
	event.detail = watchlog_text(&deadlocks->log, thread->slot, call);
	free(call);
	state_owner(deadlocks, index, &event);
	thread_at(deadlocks, index)->told = true;
	return watchlog_put(&deadlocks->log, EV_blocked, thread->slot, thread->tid, &event,
			    sizeof(event));
}

/* ---- deadlocks ---- */

/* A deadlock while it is written to the log. */
struct telling {
	uint64_t first; /* position of its first thread */
	uint32_t count;
	uint32_t slot, tid; /* of that one */
};

static void deadlocks_tell(struct deadlocks *deadlocks, struct telling *telling, uint32_t index,
			   uint64_t flags)
{
	uint64_t position;

	if (telling->count >= TOLD_MAX) {
		thread_at(deadlocks, index)->told = true;
		return;
	}
	position = state_thread(deadlocks, index, flags);
	if (!telling->count++) {
		telling->first = position;
		telling->slot = thread_at(deadlocks, index)->slot;
		telling->tid = thread_at(deadlocks, index)->tid;
	}
}

static void close_deadlock(struct deadlocks *deadlocks, const struct telling *telling,
			   enum mpsan_deadlock_cause cause, uint32_t dead_slot, const char *detail)
{
	struct ev_deadlock event = {.cause = cause,
				    .first = telling->first,
				    .count = telling->count,
				    .dead_slot = dead_slot,
				    .detail =
					    watchlog_text(&deadlocks->log, telling->slot, detail)};

	watchlog_put(&deadlocks->log, EV_deadlock, telling->slot, telling->tid, &event,
		     sizeof(event));
}

/* Records the rest of a group, threads that wait for an end first. */
static void tell_group(struct deadlocks *deadlocks, struct telling *telling, uint32_t group)
{
	for (int others = 0; others < 2; others++)
		for (uint32_t i = 0; i < deadlocks->graph.count; i++)
			if (deadlocks->graph.group[i] == group && !thread_at(deadlocks, i)->told &&
			    (others || deadlocks->waits.item.item[i].kind == MPSAN_WAIT_PROCESS))
				deadlocks_tell(deadlocks, telling, i, 0);
}

static void state_cycle(struct deadlocks *deadlocks, uint32_t head)
{
	struct telling telling = {0};
	uint32_t at = head;

	do {
		deadlocks_tell(deadlocks, &telling, at, MPSAN_LF_CYCLE);
		at = deadlocks->graph.next[at];
	} while (at != head);
	tell_group(deadlocks, &telling, deadlocks->graph.group[head]);
	close_deadlock(deadlocks, &telling, MPSAN_DEADLOCK_CYCLE, 0, NULL);
}

/* GIL waiters wake up all the time, so each thread of the cycle is checked. */
static bool cycle_is_told(struct deadlocks *deadlocks, uint32_t head)
{
	uint32_t at = head;

	do {
		if (thread_at(deadlocks, at)->told)
			return true;
		at = deadlocks->graph.next[at];
	} while (at != head);
	return false;
}

static void state_cycles(struct deadlocks *deadlocks)
{
	for (uint32_t i = 0; i < deadlocks->graph.count; i++) {
		uint32_t head = graph_cycle(&deadlocks->graph, i);

		if (head != GRAPH_NONE && !cycle_is_told(deadlocks, head) &&
		    !left_behind_explains_cycle(&deadlocks->graph, head))
			state_cycle(deadlocks, head);
	}
}

static bool group_is_told(struct deadlocks *deadlocks, uint32_t group)
{
	for (uint32_t i = 0; i < deadlocks->graph.count; i++)
		if (deadlocks->graph.group[i] == group && thread_at(deadlocks, i)->told)
			return true;
	return false;
}

static uint32_t group_orphan(const struct deadlocks *deadlocks, uint32_t group)
{
	for (uint32_t i = 0; i < deadlocks->graph.count; i++)
		if (deadlocks->graph.group[i] == group &&
		    deadlocks->waits.item.item[i].end == WAIT_NOBODY)
			return i;
	return GRAPH_NONE;
}

/* The slot + 1 of a dead owner's process, if that has ended as well. */
static uint32_t dead_process(const struct deadlocks *deadlocks, uint32_t orphan)
{
	uint32_t slot = deadlocks->waits.item.item[orphan].gone_slot;

	return slot && deadlocks->reader->processes[slot - 1].gone ? slot : 0;
}

static void state_dead_end(struct deadlocks *deadlocks, uint32_t group)
{
	uint32_t orphan = group_orphan(deadlocks, group);
	struct telling telling = {0};

	if (orphan != GRAPH_NONE)
		deadlocks_tell(deadlocks, &telling, orphan, 0);
	tell_group(deadlocks, &telling, group);
	if (orphan == GRAPH_NONE)
		close_deadlock(deadlocks, &telling, MPSAN_DEADLOCK_DEAD_END, 0, NULL);
	else
		close_deadlock(deadlocks, &telling, MPSAN_DEADLOCK_OWNER_GONE,
			       dead_process(deadlocks, orphan), NULL);
}

/* Whether a thread woke up or exits since the snapshot; GIL waiters always do. */
static bool group_moves(struct deadlocks *deadlocks, uint32_t group)
{
	for (uint32_t i = 0; i < deadlocks->graph.count; i++) {
		const struct snapshot_thread *thread = thread_at(deadlocks, i);
		struct proc_time time;
		int fd = -1;

		if (deadlocks->graph.group[i] == group &&
		    deadlocks->waits.item.item[i].kind != MPSAN_WAIT_GIL &&
		    proc_runs(thread->pid, thread->tid, &fd, false, &time) != thread->runs)
			return true;
	}
	return false;
}

static void state_dead_ends(struct deadlocks *deadlocks)
{
	for (uint32_t i = 0; i < deadlocks->graph.count; i++)
		if (deadlocks->graph.group[i] == i && !group_is_told(deadlocks, i) &&
		    !graph_waits_for_keyboard(&deadlocks->graph, i) &&
		    !left_explains(&deadlocks->graph, i) && !idle_is_meant(&deadlocks->graph, i) &&
		    !group_moves(deadlocks, i))
			state_dead_end(deadlocks, i);
}

/* ---- locks of dead owners ---- */

static void state_loss(const struct dead_owner *dead_owner, void *context)
{
	struct deadlocks *deadlocks = context;
	struct wait *wait = &deadlocks->waits.item.item[dead_owner->thread];
	struct telling telling = {0};

	if (left_behind_explains_loss(&deadlocks->graph, dead_owner->thread, dead_owner->dead_slot))
		return;
	wait->flags = dead_owner->proof ? wait->flags | MPSAN_LF_MUTUAL :
					  wait->flags & ~MPSAN_LF_MUTUAL;
	wait->gone_slot = dead_owner->dead_slot + 1;
	wait->taken = dead_owner->taken;
	deadlocks_tell(deadlocks, &telling, dead_owner->thread, 0);
	thread_at(deadlocks, dead_owner->thread)->doubted = !dead_owner->proof;
	if (deadlocks->graph.dead[dead_owner->thread])
		tell_group(deadlocks, &telling, deadlocks->graph.group[dead_owner->thread]);
	close_deadlock(deadlocks, &telling, dead_owner->cause, dead_owner->dead_slot + 1,
		       dead_owner->detail);
}

/* ---- long waits without a proof ---- */

static bool is_lock(uint64_t kind)
{
	return mpsan_kind_is_lock((unsigned)kind);
}

/* Records a wait for a lock whose owner runs elsewhere, with that owner. */
static void state_long_wait(struct deadlocks *deadlocks, uint32_t index)
{
	const struct wait *wait = &deadlocks->waits.item.item[index];
	struct telling telling = {0};

	deadlocks_tell(deadlocks, &telling, index, 0);
	deadlocks_tell(deadlocks, &telling, deadlocks->waits.who.item[wait->begin], 0);
	close_deadlock(deadlocks, &telling, MPSAN_DEADLOCK_LONG, 0, NULL);
}

static bool is_stopped(const struct snapshot_thread *thread)
{
	char state = proc_stat(thread->pid, thread->tid).state;

	return state == 'T' || state == 't';
}

static bool is_pipe_from_outside(const struct deadlocks *deadlocks, uint32_t index)
{
	const struct wait *wait = &deadlocks->waits.item.item[index];

	return wait->end == WAIT_OPEN && wait->kind >= MPSAN_WAIT_PIPE_READ;
}

/* Whether the whole job slept for that long, with a process that is no leftover. */
static bool job_is_idle(const struct deadlocks *deadlocks, uint64_t since_ns)
{
	const struct snapshot *snapshot = &deadlocks->snapshot;

	for (uint32_t i = 0; i < snapshot->threads.count; i++) {
		const struct snapshot_thread *thread = &snapshot->threads.item[i];

		if (thread->call.state != PROC_IN_CALL || thread->still_ns > since_ns ||
		    thread->told || deadlocks->waits.item.item[i].timed ||
		    call_is_outside(thread->pid, &thread->call) ||
		    is_pipe_from_outside(deadlocks, i))
			return false;
	}
	for (uint32_t i = 0; i < snapshot->processes.count; i++)
		if (!left_behind(snapshot->reader, snapshot->processes.item[i].slot))
			return true;
	return false;
}

/* Whether idling may be intended: a wait for a signal, or a stopped job. */
static bool idleness_is_meant(const struct deadlocks *deadlocks)
{
	const uint64_t child = 1ull << (SIGCHLD - 1), interrupt = 1ull << (SIGINT - 1);
	const struct snapshot *snapshot = &deadlocks->snapshot;

	for (uint32_t i = 0; i < snapshot->processes.count; i++) {
		const struct mpsan_process *process =
			&snapshot->reader->session.table[snapshot->processes.item[i].slot];

		if (proc_handlers(process) & ~(process->python ? child | interrupt : child))
			return true;
	}
	for (uint32_t i = 0; i < snapshot->threads.count; i++) {
		const struct snapshot_thread *thread = &snapshot->threads.item[i];

		if (is_stopped(thread) ||
		    (thread->tid == thread->pid && pythread_waits_for_event(thread)))
			return true;
	}
	return false;
}

static void state_idle_job(struct deadlocks *deadlocks)
{
	struct telling telling = {0};
	uint64_t flags = 0;

	for (uint32_t i = 0; i < deadlocks->snapshot.threads.count; i++)
		flags |= thread_at(deadlocks, i)->idle ? MPSAN_LF_PARKED : 0;
	for (uint32_t i = 0; i < deadlocks->snapshot.threads.count; i++)
		deadlocks_tell(deadlocks, &telling, i, flags);
	close_deadlock(deadlocks, &telling, MPSAN_DEADLOCK_LONG, 0, NULL);
}

/* An owner that runs, or was stopped, is slow, but not stuck. */
static bool holder_sleeps(struct deadlocks *deadlocks, const struct wait *wait)
{
	const struct snapshot_thread *holder =
		thread_at(deadlocks, deadlocks->waits.who.item[wait->begin]);

	return holder->call.state == PROC_IN_CALL && !is_stopped(holder);
}

static void state_long_waits(struct deadlocks *deadlocks, uint64_t now_ns)
{
	uint64_t since = now_ns - deadlocks->hang_after_ns;

	if (!deadlocks->hang_after_ns || now_ns < deadlocks->hang_after_ns)
		return;
	for (uint32_t i = 0; i < deadlocks->snapshot.threads.count; i++) {
		const struct wait *wait = &deadlocks->waits.item.item[i];

		if (wait->end == WAIT_OWNERS && is_lock(wait->kind) &&
		    thread_at(deadlocks, i)->still_ns <= since && !thread_at(deadlocks, i)->told &&
		    holder_sleeps(deadlocks, wait))
			state_long_wait(deadlocks, i);
	}
	if (job_is_idle(deadlocks, since) && !idleness_is_meant(deadlocks))
		state_idle_job(deadlocks);
}

/* Checks each dead thread once more; returns whether that opened one. */
static bool check(struct deadlocks *deadlocks, bool (*ask)(struct waits *waits, uint32_t thread))
{
	bool changed = false;

	for (uint32_t i = 0; i < deadlocks->graph.count; i++)
		changed |= deadlocks->graph.dead[i] && ask(&deadlocks->waits, i);
	return changed;
}

static bool has_news(struct deadlocks *deadlocks)
{
	for (uint32_t i = 0; i < deadlocks->graph.count; i++)
		if (deadlocks->graph.group[i] == i && !group_is_told(deadlocks, i) &&
		    !idle_is_known(&deadlocks->graph, i))
			return true;
	return false;
}

/* Both checks are made, whatever the first returns. */
static bool check_again(struct deadlocks *deadlocks)
{
	bool handlers = check(deadlocks, waits_check_handlers);
	bool memory = check(deadlocks, waits_check_memory);

	return handlers || memory;
}

/* Solves with cached data first, and with fresh data if a thread looks dead. */
static void deadlocks_solve(struct deadlocks *deadlocks)
{
	waits_find(&deadlocks->waits, &deadlocks->snapshot);
	graph_solve(&deadlocks->graph, &deadlocks->waits);
	if (has_news(deadlocks) && wakers_refresh(&deadlocks->waits.wakers)) {
		waits_find(&deadlocks->waits, &deadlocks->snapshot);
		graph_solve(&deadlocks->graph, &deadlocks->waits);
	}
	while (has_news(deadlocks) && check_again(deadlocks))
		graph_solve(&deadlocks->graph, &deadlocks->waits);
	while (has_news(deadlocks) && check(deadlocks, waits_check_moved))
		graph_solve(&deadlocks->graph, &deadlocks->waits);
}

bool deadlocks_are_open(const struct deadlocks *deadlocks)
{
	for (uint32_t i = 0; i < deadlocks->snapshot.threads.count; i++) {
		const struct snapshot_thread *thread = &deadlocks->snapshot.threads.item[i];

		if (!thread->told && thread->looks < 3 && thread->call.state == PROC_IN_CALL &&
		    !call_is_outside(thread->pid, &thread->call))
			return true;
	}
	return false;
}

void deadlocks_look(struct deadlocks *deadlocks, uint64_t now_ns)
{
	uint64_t pause;

	if (now_ns < deadlocks->next_ns)
		return;
	snapshot_take(&deadlocks->snapshot, now_ns);
	mark_explained(deadlocks);
	deadlocks_solve(deadlocks);
	state_cycles(deadlocks);
	dead_owners_find(&deadlocks->dead_owners, &deadlocks->graph, state_loss, deadlocks);
	state_dead_ends(deadlocks);
	state_long_waits(deadlocks, now_ns);
	unseen_state(deadlocks);
	pause = (clock_ns(CLOCK_MONOTONIC) - now_ns) * SHARE;
	pause = pause < LOOK_NS ? LOOK_NS : pause > LOOK_MAX_NS ? LOOK_MAX_NS : pause;
	deadlocks->next_ns = now_ns + pause;
}
