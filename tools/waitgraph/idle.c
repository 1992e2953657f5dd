/* SPDX-License-Identifier: Apache-2.0 */
/* Classifies the waits of a dead group for the rule in tools/rules/parked.h. */
#include "idle.h"

#include <stdlib.h>

#include "../../shim/common/wait_rule.h"
#include "../facts/processes.h"
#include "../facts/roles.h"
#include "../proc/pipes.h"
#include "../rules/parked.h"
#include "../waits/pythreads.h"

#define STDIN 0u
#define CLOSE_NS 1000000000ull

struct group {
	const struct graph *graph;
	const struct snapshot *snapshot;
	uint32_t number, count;
	uint32_t *index; /* threads of the snapshot */
	struct pythread_wait *python;
	struct parked_thread *thread;
	bool *wanted;
};

static const struct snapshot_thread *thread_at(const struct group *group, uint32_t i)
{
	return &group->snapshot->threads.item[group->index[i]];
}

static const struct wait *wait_at(const struct group *group, uint32_t i)
{
	return &group->graph->waits->item.item[group->index[i]];
}

static const struct mpsan_process *process_of(const struct group *group, uint32_t slot)
{
	return &group->snapshot->reader->session.table[slot];
}

static const struct facts *facts_of(const struct group *group)
{
	return &group->snapshot->reader->facts;
}

/* The index within the group of a thread of the snapshot. */
static uint32_t idle_find(const struct group *group, uint32_t thread)
{
	for (uint32_t i = 0; i < group->count; i++)
		if (group->index[i] == thread)
			return i;
	return PARKED_NONE;
}

static bool has(const struct group *group, uint32_t slot)
{
	for (uint32_t i = 0; i < group->count; i++)
		if (thread_at(group, i)->slot == slot)
			return true;
	return false;
}

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
	uint64_t apart = wait_at(group, one)->lock ^ wait_at(group, other)->lock;

	if (thread_at(group, one)->slot == thread_at(group, other)->slot)
		return !apart;
	return in_same_memory(thread_at(group, one), thread_at(group, other)) &&
	       !(apart % MPSAN_PAGE);
}

/* Each wait increments __wseq, the first word of a condition variable, from its second bit on. */
static bool was_signalled(const struct group *group, uint32_t i)
{
	uint64_t waits, waiters = 0;

	for (uint32_t k = 0; k < group->count; k++)
		waiters += wait_at(group, k)->kind == wait_at(group, i)->kind &&
			   is_same_place(group, k, i);
	return proc_peek(thread_at(group, i)->pid, wait_at(group, i)->lock, &waits,
			 sizeof(waits)) &&
	       waits >> 1 > waiters;
}

/*
 * Whether a multiprocessing semaphore was created with value 0; identified by its file, which all
 * its users have.
 */
static bool was_made_empty(const struct group *group, const struct snapshot_thread *thread)
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

/* Whether a waiter has taken a unit before, although there was none initially. */
static bool was_posted(const struct group *group, uint32_t i)
{
	struct mpsan_hold hold;

	for (uint32_t k = 0; k < group->count; k++)
		if (is_same_place(group, k, i) &&
		    snapshot_holds(thread_at(group, k), wait_at(group, k)->lock, &hold))
			return was_made_empty(group, thread_at(group, i));
	return false;
}

/* Whether a process has read from the pipe that a thread of the group waits for. */
static bool has_read(const struct group *group, uint32_t slot, const struct snapshot_thread *waiter)
{
	const struct mpsan_process *process = process_of(group, slot);

	for (int fd = 0; fd < MPSAN_FED && process->argv_bytes <= MPSAN_ARGV_KEPT; fd++) {
		struct pipe_id id;

		if (!(process->fed[fd / 32] >> fd % 32 & 1))
			continue;
		id = pipe_of(process->pid, fd);
		if (id.kind == PIPE_ANONYMOUS && id.device == waiter->object.device &&
		    id.inode == waiter->object.inode)
			return true;
	}
	return false;
}

static bool has_read_any(const struct group *group, uint32_t slot)
{
	for (uint32_t i = 0; i < group->count; i++)
		if (wait_at(group, i)->kind == MPSAN_WAIT_PIPE_READ &&
		    has_read(group, slot, thread_at(group, i)))
			return true;
	return false;
}

/*
 * Whether another process of the group waits in the same shared memory at another place: the two
 * should wake each other.
 */
static bool meets_other(const struct group *group, uint32_t i)
{
	const struct snapshot_thread *thread = thread_at(group, i);

	for (uint32_t k = 0; k < group->count && thread->object.is_shared; k++) {
		const struct snapshot_thread *other = thread_at(group, k);

		if (other->slot != thread->slot && in_same_memory(other, thread) &&
		    wait_at(group, k)->kind < MPSAN_WAIT_PROCESS && !is_same_place(group, k, i))
			return true;
	}
	return false;
}

static bool was_sent(const struct group *group, uint32_t i, const struct pythread_wait *python)
{
	const struct snapshot_thread *thread = thread_at(group, i);
	uint64_t kind = wait_at(group, i)->kind;

	if (python->queue != CPYTHON_QUEUE_NONE)
		return python->queue == CPYTHON_QUEUE_USED;
	if (snapshot_wanted(thread).tag & MPSAN_TAG_HANDOFF)
		return true;
	return (kind == MPSAN_WAIT_COND && was_signalled(group, i)) ||
	       (kind == MPSAN_LOCK_SEMAPHORE && was_posted(group, i)) ||
	       (kind < MPSAN_WAIT_PROCESS && meets_other(group, i)) ||
	       has_read_any(group, thread->slot);
}

/* ---- whether a possible sender has ended ---- */

static uint64_t began_ns(const struct group *group, const struct snapshot_thread *thread)
{
	if (thread->tid == thread->pid || !thread->record)
		return process_of(group, thread->slot)->attach_ns;
	return thread->record->start_ns;
}

/* A thread is logged when it first runs: for two created at about the same time, TIDs decide. */
static bool made_later(const struct seen_thread *other, const struct snapshot_thread *thread,
		       uint64_t began_ns)
{
	if (other->at.time_ns > began_ns + CLOSE_NS || began_ns > other->at.time_ns + CLOSE_NS)
		return other->at.time_ns > began_ns;
	return other->at.tid > thread->tid;
}

/*
 * Whether a thread has ended that was created after this one, or runs the same function. Python's
 * threads all start in the same function.
 */
static bool thread_ended(const struct group *group, const struct snapshot_thread *thread)
{
	const struct reader *reader = group->snapshot->reader;
	uint64_t began = began_ns(group, thread),
		 entry = thread->record && !process_of(group, thread->slot)->python ?
				 thread->record->entry :
				 0;

	for (uint32_t i = 0; i < reader->threads.count; i++) {
		const struct seen_thread *other = &reader->threads.item[i];

		if (other->at.by == thread->slot && other->at.tid != thread->tid &&
		    (made_later(other, thread, began) || (entry && other->ev.entry == entry)) &&
		    snapshot_find(group->snapshot, thread->slot, other->at.tid) == SNAPSHOT_NONE)
			return true;
	}
	return false;
}

/*
 * Whether a worker has ended that coexisted with this process: its child or sibling. C programs
 * share memory with any child; multiprocessing only with its workers.
 */
static bool worker_ended(const struct group *group, uint32_t slot, bool by_pipe)
{
	const struct reader *reader = group->snapshot->reader;
	uint32_t parent = process_parent(facts_of(group), slot);
	uint64_t made = fact_made_ns(facts_of(group), slot);
	bool any = !by_pipe && !process_of(group, slot)->python;

	READER_EACH_SLOT(reader, other) {
		uint32_t of = process_parent(facts_of(group), other);

		if (other != slot && of != FACT_NONE && (of == slot || of == parent) &&
		    reader->processes[other].gone && reader->processes[other].gone_ns > made &&
		    (any || process_is_worker(facts_of(group), other)))
			return true;
	}
	return false;
}

/* Whether its process's fork left threads behind, and it is the only thread there. */
static bool was_left(const struct group *group, const struct snapshot_thread *thread)
{
	uint32_t fork = fact_fork_behind(facts_of(group), FACT_NONE, thread->slot);
	const struct snapshot_process *process = &group->snapshot->processes.item[thread->process];

	return fork != FACT_NONE && facts_of(group)->forks[fork].ev.threads > 1 &&
	       process->end - process->begin == 1;
}

static bool sender_ended(const struct group *group, uint32_t i)
{
	const struct snapshot_thread *thread = thread_at(group, i);

	bool by_pipe = wait_at(group, i)->kind == MPSAN_WAIT_PIPE_READ;

	if (by_pipe || thread->object.is_shared)
		return worker_ended(group, thread->slot, by_pipe);
	return was_left(group, thread) || thread_ended(group, thread);
}

/* ---- each thread's wait ---- */

/*
 * A semaphore that was never released serves as a signal if its waiter has taken it before, or no
 * thread could.
 */
static enum parked_wait part_of_semaphore(const struct group *group, uint32_t i, bool python)
{
	const struct snapshot_thread *thread = thread_at(group, i);
	const struct wait *wait = wait_at(group, i);
	struct mpsan_hold hold;

	if (wait->end != WAIT_PROCESSES ||
	    (snapshot_wanted(thread).tag & (MPSAN_TAG_MUTUAL | MPSAN_TAG_HANDOFF)) ==
		    MPSAN_TAG_MUTUAL)
		return PARKED_BLOCKED;
	return python && !snapshot_holds(thread, wait->lock, &hold) &&
			       !was_made_empty(group, thread) ?
		       PARKED_BLOCKED :
		       PARKED_IDLE;
}

static enum parked_wait part_of_call(const struct group *group, uint32_t i, bool python)
{
	const struct snapshot_thread *thread = thread_at(group, i);
	const struct wait *wait = wait_at(group, i);

	switch (wait->kind) {
	case MPSAN_WAIT_PROCESS:
	case MPSAN_WAIT_JOIN:
		return PARKED_JOINS;
	case MPSAN_LOCK_SEMAPHORE:
		return part_of_semaphore(group, i, python);
	case MPSAN_WAIT_COND:
		return PARKED_IDLE;
	case MPSAN_WAIT_BARRIER:
		return PARKED_MEETS;
	case MPSAN_WAIT_FUTEX:
		return (uint32_t)thread->call.arg[2] == FUTEX_CONTENDED ? PARKED_BLOCKED :
									  PARKED_IDLE;
	case MPSAN_WAIT_PIPE_READ: /* a program that reads its input also waits for the end of it */
		return thread->call.arg[0] == STDIN ? PARKED_BLOCKED : PARKED_IDLE;
	default:
		return PARKED_BLOCKED;
	}
}

static enum parked_wait part(const struct group *group, uint32_t i,
			     const struct pythread_wait *python)
{
	enum parked_wait part = part_of_call(group, i, python->is_python);
	bool by_owner = wait_at(group, i)->end != WAIT_PROCESSES;

	if (part == PARKED_JOINS || (part == PARKED_BLOCKED && by_owner))
		return python->what == PYTHREAD_JOIN ? PARKED_JOINS : part;
	switch (python->what) {
	case PYTHREAD_ANSWER:
		return PARKED_BLOCKED;
	case PYTHREAD_PEERS:
		return PARKED_MEETS;
	case PYTHREAD_RESULT:
	case PYTHREAD_JOIN:
		return PARKED_JOINS;
	case PYTHREAD_NEWS:
		return PARKED_IDLE;
	case PYTHREAD_EVENT:
		return PARKED_FOR_GOOD;
	default:
		return part;
	}
}

/* The thread or process being joined, according to the native wait or Python's frames. */
static uint32_t idle_joined(const struct group *group, uint32_t i,
			    const struct pythread_wait *python)
{
	const struct wait *wait = wait_at(group, i);
	uint32_t thread = wait->holder;

	if (python->joined)
		thread = snapshot_find(group->snapshot, thread_at(group, i)->slot, python->joined);
	else if (wait->end == WAIT_OWNERS && wait->count)
		thread = group->graph->waits->who.item[wait->begin];
	return thread == SNAPSHOT_NONE ? PARKED_NONE : idle_find(group, thread);
}

static uint32_t parent_in(const struct group *group, uint32_t slot)
{
	uint32_t parent = process_parent(facts_of(group), slot);

	return has(group, parent) ? parent : PARKED_NONE;
}

static void idle_describe(const struct group *group, uint32_t i)
{
	const struct snapshot_thread *thread = thread_at(group, i);
	const struct mpsan_process *process = process_of(group, thread->slot);
	struct pythread_wait *python = &group->python[i];
	struct parked_thread *to = &group->thread[i];

	*python = (struct pythread_wait){.queue = CPYTHON_QUEUE_NONE};
	if (process->python)
		*python = pythread_wait(thread, wait_at(group, i)->lock);
	*to = (struct parked_thread){
		.wait = part(group, i, python),
		.process = thread->slot,
		.parent = parent_in(group, thread->slot),
		.is_main = thread->tid == thread->pid,
		.is_helper = role_text(role_of(process)) != NULL,
		.thread = PARKED_NONE,
		.awaited_by = PARKED_NONE,
		.of_process = wait_at(group, i)->kind == MPSAN_WAIT_PROCESS,
	};
	if (to->wait == PARKED_JOINS && !to->of_process)
		to->thread = idle_joined(group, i, python);
	if (to->wait != PARKED_IDLE && to->wait != PARKED_MEETS)
		return;
	to->was_sent = was_sent(group, i, python);
	to->sender_ended = sender_ended(group, i);
}

/*
 * A result that no thread works on belongs to a task that will not start, or is set by another
 * thread: blocked.
 */
static void find_tasks(struct group *group, uint32_t i)
{
	struct parked_thread *to = &group->thread[i];

	for (uint32_t k = 0; k < group->count; k++) {
		if (group->thread[k].process != to->process ||
		    !pythread_awaits(&group->python[i], &group->python[k]))
			continue;
		to->of_tasks = true;
		if (group->thread[k].awaited_by == PARKED_NONE)
			group->thread[k].awaited_by = i;
	}
	if (!to->of_tasks)
		to->wait = PARKED_BLOCKED;
}

static void idle_gather(struct group *group)
{
	const struct graph *graph = group->graph;

	group->index = memory_get((graph->count + 1) * sizeof(*group->index));
	for (uint32_t i = 0; i < graph->count; i++)
		if (graph->group[i] == group->number)
			group->index[group->count++] = i;
	group->python = memory_get((group->count + 1) * sizeof(*group->python));
	group->thread = memory_get((group->count + 1) * sizeof(*group->thread));
	group->wanted = memory_get((group->count + 1) * sizeof(*group->wanted));
	for (uint32_t i = 0; i < group->count; i++)
		idle_describe(group, i);
	for (uint32_t i = 0; i < group->count; i++)
		if (group->thread[i].wait == PARKED_JOINS &&
		    group->python[i].what == PYTHREAD_RESULT)
			find_tasks(group, i);
	free(group->python);
}

/*
 * Whether another program that the job started lives and may end those who are waited for: a
 * watchdog. Python's own processes and workers are judged by their waits.
 */
static bool has_company(const struct group *group)
{
	const struct reader *reader = group->snapshot->reader;

	for (uint32_t i = 0; i < group->count; i++)
		if (group->thread[i].wait != PARKED_IDLE && group->thread[i].wait != PARKED_JOINS)
			return false;
	READER_EACH_SLOT(reader, slot) {
		const struct mpsan_process *process = process_of(group, slot);

		if (process->pid && !reader->processes[slot].gone && !has(group, slot) &&
		    !(process->flags & MPSAN_PROCESS_REPLACED) && !role_text(role_of(process)) &&
		    !process_is_worker(facts_of(group), slot) &&
		    has(group, process_parent(facts_of(group), slot)))
			return true;
	}
	return false;
}

bool idle_is_meant(const struct graph *graph, uint32_t number)
{
	struct group group = {.graph = graph, .snapshot = graph->waits->snapshot, .number = number};
	bool meant;

	if (idle_is_known(graph, number))
		return true;
	idle_gather(&group);
	meant = parked_is_meant(group.thread, group.count, group.wanted);
	for (uint32_t i = 0; i < group.count; i++)
		graph->waits->snapshot->threads.item[group.index[i]].idle = meant;
	meant = meant || has_company(&group); /* as long as it lives */
	free(group.index);
	free(group.thread);
	free(group.wanted);
	return meant;
}

bool idle_is_known(const struct graph *graph, uint32_t number)
{
	for (uint32_t i = 0; i < graph->count; i++)
		if (graph->group[i] == number && !graph->waits->snapshot->threads.item[i].idle)
			return false;
	return true;
}
