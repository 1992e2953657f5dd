/* SPDX-License-Identifier: Apache-2.0 */
/* Classifies the waits of a dead group for the rule in tools/rules/parked.h. */
#include "idle.h"

#include <signal.h>
#include <stdlib.h>

#include "../../shim/common/wait_rule.h"
#include "../facts/processes.h"
#include "../facts/roles.h"
#include "../proc/calls.h"
#include "../waits/native.h"
#include "handlers.h"
#include "idle_group.h"
#include "turn_taking.h"

#define FUTURE_AWAITED 0x80000000u

/* The index within the group of a thread of the snapshot. */
static uint32_t idle_find(const struct group *group, uint32_t thread)
{
	for (uint32_t i = 0; i < group->count; i++)
		if (group->index[i] == thread)
			return i;
	return PARKED_NONE;
}

static bool is_helper(const struct group *group, uint32_t i)
{
	return role_text(role_of(group_process(group, group_thread(group, i)->slot))) != NULL;
}

/* ---- each thread's wait ---- */

/*
 * A semaphore that was never released serves as a signal if its waiter has taken it before, or no
 * thread could, or a handler may post it.
 */
static enum parked_wait part_of_semaphore(const struct group *group, uint32_t i, bool python)
{
	const struct snapshot_thread *thread = group_thread(group, i);
	const struct wait *wait = group_wait(group, i);
	struct mpsan_hold hold;

	if ((wait->end != WAIT_PROCESSES && !wait->by_signal) ||
	    (snapshot_wanted(thread).tag & (MPSAN_TAG_MUTUAL | MPSAN_TAG_HANDOFF)) ==
		    MPSAN_TAG_MUTUAL)
		return PARKED_BLOCKED;
	return python && !snapshot_holds(thread, wait->lock, &hold) &&
			       !idle_made_empty(group, thread) ?
		       PARKED_BLOCKED :
		       PARKED_IDLE;
}

/* A single thread that nobody else could send anything: its process has each end, of a socket the own one as well. */
static bool waits_for_itself(const struct group *group, uint32_t i)
{
	uint32_t own = group_thread(group, i)->process;
	const struct snapshot_process *process = &group->snapshot->processes.item[own];

	return process->end - process->begin == 1 && group_wait(group, i)->count &&
	       idle_is_for_own(group, i);
}

static bool waits_for_child(const struct group *group, uint32_t parent)
{
	for (uint32_t i = 0; i < group->count; i++)
		if (group_thread(group, i)->slot == parent &&
		    group_wait(group, i)->kind == MPSAN_WAIT_PROCESS)
			return true;
	return false;
}

/*
 * It reads what its parent has the other end of, which waits for its end in turn, or for that of another child
 * that waits, too. Without the library it is not known whether anything ever came.
 */
static bool reads_from_waiter(const struct group *group, uint32_t i)
{
	const struct snapshot_thread *thread = group_thread(group, i);
	uint32_t parent = idle_feeder(group, i);

	return group->snapshot->outside && thread->tid == thread->pid &&
	       wait_is_read(group_wait(group, i)) && parent != FACT_NONE &&
	       waits_for_child(group, parent);
}

/* Of libstdc++: a shared state that is not ready, and has a waiter. */
static bool awaits_future(const struct group *group, uint32_t i)
{
	return group_wait(group, i)->kind == MPSAN_WAIT_FUTEX &&
	       (uint32_t)group_thread(group, i)->call.arg[2] == FUTURE_AWAITED;
}

/* A program may keep itself alive with one future, but not with two. */
static bool has_other_future(const struct group *group, uint32_t i)
{
	for (uint32_t k = 0; k < group->count; k++)
		if (awaits_future(group, i) && awaits_future(group, k) &&
		    group_thread(group, k)->slot == group_thread(group, i)->slot &&
		    group_wait(group, k)->lock != group_wait(group, i)->lock)
			return true;
	return false;
}

static bool destroys_condition(const struct group *group, uint32_t i)
{
	const struct wait *wait = group_wait(group, i);

	for (uint32_t k = 0; k < group->count; k++)
		if (group_thread(group, k)->slot == group_thread(group, i)->slot &&
		    parked_destroys(wait->kind, wait->lock, group_wait(group, k)->kind,
				    group_wait(group, k)->lock))
			return true;
	return false;
}

static enum parked_wait part_of_call(const struct group *group, uint32_t i, bool python)
{
	const struct snapshot_thread *thread = group_thread(group, i);
	const struct wait *wait = group_wait(group, i);

	switch (wait->kind) {
	case MPSAN_LOCK_SEMAPHORE:
		return part_of_semaphore(group, i, python);
	case MPSAN_WAIT_FUTEX:
		return (uint32_t)thread->call.arg[2] == FUTEX_CONTENDED ||
				       has_other_future(group, i) || destroys_condition(group, i) ?
			       PARKED_BLOCKED :
			       PARKED_IDLE;
	case MPSAN_WAIT_SOCKET_READ:
	case MPSAN_WAIT_PIPE_READ:
		return idle_wants_input(group, i) ? PARKED_BLOCKED : PARKED_IDLE;
	case MPSAN_WAIT_IPC:
		return wait->flags & MPSAN_LF_MUTUAL || call_writes(&thread->call) ?
			       PARKED_BLOCKED :
			       PARKED_IDLE;
	default:
		return wait_kind(wait->kind)->meant;
	}
}

/* For a lock whose owner goes on, or a thread that does, or for such a one's, and so on. */
static bool is_helped(const struct group *group, uint32_t i)
{
	const struct wait *wait = group_wait(group, i);

	return group->is_job && wait->is_helped && wait->end == WAIT_OWNERS;
}

/* It was meant to last as long as its limit: a watchdog's, say. */
static bool gives_up(const struct group *group, uint32_t i)
{
	return group->is_job && group_wait(group, i)->ends == MPSAN_ENDS_LIMIT;
}

/*
 * Whether it must come to an end: the thread is in a test, or in a handler of a signal or of the program's end, or its
 * process was told to end while the whole job rests.
 */
static bool is_to_end(const struct group *group, uint32_t i, const struct pythread_wait *python)
{
	const struct snapshot_thread *thread = group_thread(group, i);

	return native_exits(group->graph->waits->native, group->snapshot, thread) ||
	       (!group_wait(group, i)->by_signal &&
		native_waits_in_handler(group->graph->waits->native, group->snapshot, thread)) ||
	       (group->is_job && !group->ticks && handlers_run(group->snapshot, thread)) ||
	       (group->is_job && process_was_told_to_end(group_facts(group), thread->slot,
							 group->snapshot->now_ns)) ||
	       ((python->at_end || python->in_test) &&
		!fact_how_copies(group_process(group, thread->slot)->how));
}

/* Whether a thread is in a `with` block of the semaphore: it guards something, and is no signal. */
static bool has_taker(const struct group *group, uint32_t i, uint64_t semaphore)
{
	for (uint32_t k = 0; k < group->count && semaphore; k++)
		if (group_thread(group, k)->slot == group_thread(group, i)->slot &&
		    pythread_is_inside(group_thread(group, k), semaphore))
			return true;
	return false;
}

static enum parked_wait part(const struct group *group, uint32_t i,
			     const struct pythread_wait *python)
{
	const struct snapshot_thread *thread = group_thread(group, i);
	const struct wait *wait = group_wait(group, i);
	enum parked_wait part = group->apart[i] || gives_up(group, i) ?
					PARKED_IDLE :
					part_of_call(group, i, python->is_python);

	if (is_helped(group, i))
		return PARKED_IDLE;
	if (wait->flags & WAIT_LOOP_FAULT || is_to_end(group, i, python) || python->pool_is_short ||
	    (wait_is_read(wait) && waits_for_itself(group, i)) ||
	    (group->is_job && proc_is_stopped(thread->pid, thread->tid)))
		return PARKED_BLOCKED;
	if (group->apart[i] && python->in_loop) /* with a timer ahead, which wakes its coroutines */
		return PARKED_IDLE;
	if (group->is_job && turns_are_taken(group->graph->waits, group->index[i]))
		return PARKED_IDLE;
	return parked_part(&(struct parked_seen){
		.frames = python->frames,
		.call = part,
		.by_owner = wait->end != WAIT_PROCESSES && !wait->by_signal,
		.is_main = thread->tid == thread->pid,
		.guards = python->task_count || python->had_permits ||
			  has_taker(group, i, python->semaphore),
	});
}

/* The thread or process being joined, according to the native wait or Python's frames. */
static uint32_t idle_joined(const struct group *group, uint32_t i,
			    const struct pythread_wait *python)
{
	const struct wait *wait = group_wait(group, i);
	uint32_t thread = wait->holder;

	if (python->joined)
		thread = snapshot_find(group->snapshot, group_thread(group, i)->slot,
				       python->joined);
	else if (wait->end == WAIT_OWNERS && wait->count)
		thread = group->graph->waits->who.item[wait->begin];
	return thread == SNAPSHOT_NONE ? PARKED_NONE : idle_find(group, thread);
}

static uint32_t parent_in(const struct group *group, uint32_t slot)
{
	uint32_t parent = process_parent(group_facts(group), slot);

	return group_has(group, parent) ? parent : PARKED_NONE;
}

/* Its process ignores SIGINT; asked once for the threads of one, which stand together. */
static bool has_no_keyboard(const struct group *group, uint32_t i)
{
	return i && group_thread(group, i - 1)->slot == group_thread(group, i)->slot ?
		       group->thread[i - 1].no_keyboard :
		       proc_ignores(group_thread(group, i)->pid, SIGINT);
}

/* Asked once for the threads of a process, which stand together. */
static bool only_ends(const struct group *group, uint32_t i)
{
	uint32_t slot = group_thread(group, i)->slot;

	return i && group_thread(group, i - 1)->slot == slot ?
		       group->thread[i - 1].only_ends :
		       handlers_are_none(&group->snapshot->reader->session, slot);
}

/* A loop of native code that has lost whoever could send it something: no library's that serves others. */
static bool is_lost_loop(const struct group *group, uint32_t i)
{
	return waits_for_itself(group, i) &&
	       handlers_are_none(&group->snapshot->reader->session, group_thread(group, i)->slot) &&
	       idle_sender_ended(group, i);
}

/* asyncio's like: what its coroutines wait for is not known. */
static bool is_unknown_loop(const struct group *group, uint32_t i)
{
	return idle_is_loop(group, i) && !pythread_has_tasks(group_thread(group, i)) &&
	       !is_lost_loop(group, i);
}

static void idle_describe(const struct group *group, uint32_t i)
{
	const struct snapshot_thread *thread = group_thread(group, i);
	const struct pythread_wait *python = &group->python[i];
	struct parked_thread *to = &group->thread[i];

	*to = (struct parked_thread){
		.wait = part(group, i, python),
		.process = thread->slot,
		.parent = group->is_job && !process_is_worker(group_facts(group), thread->slot) ?
				  PARKED_NONE :
				  parent_in(group, thread->slot),
		.is_main = thread->tid == thread->pid,
		.is_helper = is_helper(group, i),
		.no_keyboard = has_no_keyboard(group, i),
		.only_ends = !group->ticks && only_ends(group, i),
		.thread = PARKED_NONE,
		.awaited_by = PARKED_NONE,
		.of_process = group_wait(group, i)->kind == MPSAN_WAIT_PROCESS ||
			      python->frames.what == AWAITED_CHILD_END,
	};
	if (to->wait == PARKED_JOINS && !to->of_process)
		to->thread = idle_joined(group, i, python);
	to->setter_ended = to->wait == PARKED_INTENDED && idle_setter_ended(group, i);
	if (to->setter_ended && idle_has_company(group, i))
		group_entry(group, i)->life.may_be_meant = true;
	if (to->wait != PARKED_IDLE && to->wait != PARKED_MEETS)
		return;
	if (group->apart[i] || group->loops || is_helped(group, i))
		return;
	to->was_sent = idle_was_sent(group, i, python) && !group->ticks;
	to->sender_ended = idle_sender_ended(group, i);
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
	if (!to->of_tasks && !group->loops)
		to->wait = PARKED_BLOCKED;
}

static void idle_gather(struct group *group)
{
	const struct graph *graph = group->graph;

	group->index = memory_get((graph->solved.count + 1) * sizeof(*group->index));
	for (uint32_t i = 0; i < graph->solved.count; i++)
		if (group->is_job || graph->solved.group[i] == group->number)
			group->index[group->count++] = i;
	for (uint32_t i = 0; i < group->count; i++)
		group->loops |= is_unknown_loop(group, i);
	group->apart = memory_get((group->count + 1) * sizeof(*group->apart));
	for (uint32_t i = 0; group->is_job && i < group->count; i++) {
		group->apart[i] = wait_is_apart(group_wait(group, i)) ||
				  group_wait(group, i)->may_serve || idle_serves_anybody(group, i);
		group->ticks |= group->apart[i] && !is_helper(group, i);
	}
	group->python = memory_get((group->count + 1) * sizeof(*group->python));
	group->thread = memory_get((group->count + 1) * sizeof(*group->thread));
	group->wanted = memory_get((group->count + 1) * sizeof(*group->wanted));
	idle_find_readers(group);
	for (uint32_t i = 0; i < group->count; i++)
		group->python[i] =
			pythread_wait(group_thread(group, i), group_wait(group, i)->lock);
	group->monitor = memory_get((group->count + 1) * sizeof(*group->monitor));
	idle_find_monitors(group);
	for (uint32_t i = 0; i < group->count; i++)
		idle_describe(group, i);
	for (uint32_t i = 0; i < group->count; i++)
		if (group->thread[i].wait == PARKED_JOINS &&
		    awaited_is_result(group->python[i].frames))
			find_tasks(group, i);
	free(group->monitor);
	free(group->python);
}

/*
 * Whether another program that the job started lives and may end those who are waited for: a
 * watchdog. Python's own processes and workers are judged by their waits.
 */
static bool sibling_program_lives(const struct group *group)
{
	const struct reader *reader = group->snapshot->reader;

	for (uint32_t i = 0; i < group->count; i++)
		if (group->thread[i].wait != PARKED_IDLE && group->thread[i].wait != PARKED_JOINS)
			return false;
	READER_EACH_SLOT(reader, slot) {
		const struct mpsan_process *process = group_process(group, slot);

		if (process->pid && !reader->processes[slot].gone && !group_has(group, slot) &&
		    !(process->flags & MPSAN_PROCESS_REPLACED) && !role_text(role_of(process)) &&
		    !process_is_worker(group_facts(group), slot) &&
		    group_has(group, process_parent(group_facts(group), slot)))
			return true;
	}
	return false;
}

/*
 * Whether a parent forgot that its child reads until it closes its end, instead of waiting until it is interrupted:
 * in doubt if Ctrl-C would run a handler, which may be meant to go on.
 */
static bool forgot_end(const struct group *group)
{
	bool forgot = false, interruptible = false;

	for (uint32_t i = 0; i < group->count; i++) {
		if (group->thread[i].wait == PARKED_INTENDED)
			return false;
		forgot |= reads_from_waiter(group, i);
		interruptible |= group_wait(group, i)->interruptible;
	}
	for (uint32_t i = 0; forgot && i < group->count; i++)
		group_entry(group, i)->life.may_be_meant = interruptible;
	return forgot;
}

bool idle_is_meant(const struct graph *graph, uint32_t number)
{
	struct group group = {.graph = graph, .snapshot = graph->waits->snapshot, .number = number};
	bool meant;

	if (idle_is_known(graph, number))
		return true;
	idle_gather(&group);
	meant = parked_is_meant(group.thread, group.count, group.wanted) && !forgot_end(&group);
	for (uint32_t i = 0; i < group.count; i++)
		group_entry(&group, i)->stand.idle = meant;
	meant = meant || sibling_program_lives(&group); /* as long as it lives */
	group_close(&group);
	return meant;
}

/* The first thread that is busy, a main thread if there is one; else the first of the job. */
static uint32_t first_busy(const struct group *group)
{
	uint32_t found = PARKED_NONE;

	for (uint32_t i = 0; i < group->count; i++) {
		const struct parked_thread *thread = &group->thread[i];

		if (thread->is_helper || group->apart[i] || gives_up(group, i))
			continue;
		if (thread->is_main && thread->parent == PARKED_NONE)
			return i;
		if (found == PARKED_NONE ||
		    (thread->wait == PARKED_BLOCKED && group->thread[found].wait != PARKED_BLOCKED))
			found = i;
	}
	return found == PARKED_NONE ? 0 : found;
}

bool idle_job_is_meant(const struct graph *graph, struct shared *shared, uint32_t *head,
		       bool *has_keyboard)
{
	struct group group = {graph, graph->waits->snapshot, shared, .is_job = true};
	bool meant;

	idle_gather(&group);
	meant = !group.count || parked_is_meant(group.thread, group.count, group.wanted);
	*has_keyboard = parked_has_keyboard(group.thread, group.count);
	*head = group.count ? group.index[first_busy(&group)] : 0;
	group_close(&group);
	return meant;
}

bool idle_is_known(const struct graph *graph, uint32_t number)
{
	for (uint32_t i = 0; i < graph->solved.count; i++)
		if (graph->solved.group[i] == number &&
		    !ledger_of(graph->waits->snapshot, i)->stand.idle)
			return false;
	return true;
}
