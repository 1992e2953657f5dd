/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a thread or process has ended that could have answered a wait. Neighbour: idle_sent.c, whether one did before. */
#include "idle.h"
#include "idle_group.h"

#include <signal.h>

#include "../facts/exceptions.h"
#include "../facts/processes.h"
#include "../facts/roles.h"
#include "../waits/outside.h"
#include "../waits/pythreads.h"

#define CLOSE_NS 1000000000ull

static uint64_t began_ns(const struct group *group, const struct snapshot_thread *thread)
{
	if (thread->tid == thread->pid || !thread->record)
		return group_process(group, thread->slot)->attach_ns;
	return thread->record->start_ns;
}

/* A thread is logged when it first runs: for two created at about the same time, TIDs decide. */
static bool made_later(const struct fact_thread *other, const struct snapshot_thread *thread,
		       uint64_t began_ns)
{
	if (other->at.time_ns > began_ns + CLOSE_NS || began_ns > other->at.time_ns + CLOSE_NS)
		return other->at.time_ns > began_ns;
	return proc_number_precedes(thread->own_tid, other->at.tid);
}

/*
 * Whether a thread has ended that was created after this one, or runs the same function. Python's
 * threads all start in the same function.
 */
static bool thread_ended(const struct group *group, const struct snapshot_thread *thread)
{
	const struct reader *reader = group->snapshot->reader;
	uint64_t began = began_ns(group, thread),
		 entry = thread->record && !group_process(group, thread->slot)->python ?
				 thread->record->entry :
				 0;

	if (group->snapshot->outside)
		return has_ended_thread(group->snapshot, thread);
	for (uint32_t i = 0; i < reader->threads.count; i++) {
		const struct fact_thread *other = &reader->threads.item[i];

		if (other->at.by == thread->slot && other->at.tid != thread->own_tid &&
		    (made_later(other, thread, began) || (entry && other->ev.entry == entry)) &&
		    snapshot_find(group->snapshot, thread->slot, other->at.tid) == SNAPSHOT_NONE)
			return true;
	}
	return false;
}

bool idle_is_left(const struct graph *graph, uint32_t index)
{
	const struct snapshot *snapshot = graph->waits->snapshot;
	const struct snapshot_thread *thread = &snapshot->threads.item[index];
	const struct snapshot_process *process = &snapshot->processes.item[thread->process];
	struct group group = {.graph = graph, .snapshot = snapshot};

	for (uint32_t i = 0; i < snapshot->processes.count; i++)
		if (process_parent(&snapshot->reader->facts, snapshot->processes.item[i].slot) ==
		    thread->slot)
			return false;
	return process->end - process->begin == 1 && thread_ended(&group, thread);
}

/*
 * Whether a worker has ended that coexisted with this process: its child or sibling. C programs
 * share memory with any child; multiprocessing only with its workers.
 */
static bool worker_ended(const struct group *group, uint32_t slot, bool by_pipe)
{
	const struct reader *reader = group->snapshot->reader;
	uint32_t parent = process_parent(group_facts(group), slot);
	uint64_t made = fact_made_ns(group_facts(group), slot);
	bool any = !by_pipe && !group_process(group, slot)->python;

	READER_EACH_SLOT(reader, other) {
		uint32_t of = process_parent(group_facts(group), other);

		if (other != slot && of != FACT_NONE && (of == slot || of == parent) &&
		    reader->processes[other].gone && reader->processes[other].gone_ns > made &&
		    (any || process_is_worker(group_facts(group), other)))
			return true;
	}
	return group->snapshot->outside && has_ended_worker(group->snapshot, slot);
}

/* Whether its process's fork left threads behind, and it is the only thread there. */
static bool was_left(const struct group *group, const struct snapshot_thread *thread)
{
	uint32_t fork = fact_fork_behind(group_facts(group), FACT_NONE, thread->slot);
	const struct snapshot_process *process = &group->snapshot->processes.item[thread->process];

	return fork != FACT_NONE && group_facts(group)->forks[fork].ev.threads > 1 &&
	       process->end - process->begin == 1;
}

/*
 * Whether the program of its process has ended, and the interpreter joins the threads that are left. Where
 * SIGINT has its default action, these were meant to run until Ctrl-C; where it is ignored, they were not.
 */
static bool program_ended(const struct group *group, const struct snapshot_thread *thread)
{
	for (uint32_t k = 0; k < group->count; k++) {
		const struct snapshot_thread *other = group_thread(group, k);

		if (other->tid == thread->pid && other->tid != thread->tid &&
		    (group_wait(group, k)->interruptible || proc_ignores(other->pid, SIGINT)))
			return group_process(group, thread->slot)->python &&
			       (pythread_runs(other, "_shutdown", "threading.py") ||
				pythread_runs(other, "shutdown_default_executor",
					      "asyncio/base_events.py"));
	}
	return false;
}

bool idle_sender_ended(const struct group *group, uint32_t i)
{
	const struct snapshot_thread *thread = group_thread(group, i);
	bool by_pipe = wait_is_read(group_wait(group, i)) ||
		       group_wait(group, i)->kind == MPSAN_WAIT_READY;

	if (group_wait(group, i)->flags & MPSAN_LF_CLOSED ||
	    (group_wait(group, i)->kind == MPSAN_WAIT_READY && idle_is_for_own(group, i) &&
	     thread_ended(group, thread)) ||
	    exception_ended_main(group_facts(group), thread->slot))
		return true;
	if (by_pipe || thread->object.is_shared || group_wait(group, i)->kind == MPSAN_WAIT_IPC)
		return worker_ended(group, thread->slot, by_pipe);
	return was_left(group, thread) || thread_ended(group, thread) ||
	       program_ended(group, thread);
}

/* Whether it is a process that only helps others. */
static bool is_helper(const struct group *group, uint32_t slot)
{
	return role_text(role_of(group_process(group, slot)));
}

/* Whether all threads of the job stand in the group, but for helpers. */
static bool is_whole_job(const struct group *group)
{
	const struct snapshot *snapshot = group->snapshot;
	uint32_t others = 0;

	for (uint32_t i = 0; i < snapshot->processes.count; i++)
		if (is_helper(group, snapshot->processes.item[i].slot))
			others +=
				snapshot->processes.item[i].end - snapshot->processes.item[i].begin;
	for (uint32_t i = 0; i < group->count; i++)
		others += !is_helper(group, group_thread(group, i)->slot);
	return others == snapshot->threads.count;
}

/* Whether the thread that an exception ended is the last one that has ended. */
static bool failed_last(const struct group *group, uint32_t event)
{
	const struct facts *facts = group_facts(group);

	for (uint32_t i = 0; i < facts->thread_count; i++)
		if (exception_precedes(facts, event, &facts->threads[i], group->snapshot->now_ns) &&
		    snapshot_find(group->snapshot, facts->events[event].by,
				  facts->threads[i].at.tid) == SNAPSHOT_NONE)
			return false;
	return true;
}

/* Whether Ctrl-C runs a function of the program's, instead of KeyboardInterrupt. */
static bool handles_interrupt(const struct snapshot_thread *thread)
{
	AUTO_FREE char *function = pythread_handler(thread->pid, SIGINT);

	return *function;
}

bool idle_setter_ended(const struct group *group, uint32_t i)
{
	const struct snapshot_thread *thread = group_thread(group, i);
	uint32_t event;

	if (group_wait(group, i)->by_signal)
		return group->snapshot->threads.count == 1 && idle_sender_ended(group, i);
	event = exception_of_thread(group_facts(group), thread->slot, 0, group->snapshot->now_ns);
	return event != FACT_NONE && failed_last(group, event) && is_whole_job(group) &&
	       !handles_interrupt(thread);
}

bool idle_has_company(const struct group *group, uint32_t i)
{
	for (uint32_t k = 0; k < group->count; k++)
		if (k != i && group->python[k].is_python &&
		    !is_helper(group, group_thread(group, k)->slot))
			return true;
	return false;
}
