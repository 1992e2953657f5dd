/* SPDX-License-Identifier: Apache-2.0 */
/* Solves the wait-for graph: opens every thread that may go on; the rest is dead. */
#include "graph.h"
#include "../base/system_calls.h"

#include <stdlib.h>
#include <string.h>

static void set_open(struct graph *graph, uint32_t thread)
{
	const struct wait *wait = &graph->waits->item.item[thread];
	uint32_t process = graph->waits->snapshot->threads.item[thread].process;

	graph->dead[thread] = false;
	graph->help[thread] = AT_WORK;
	graph->job_is_open |= !wait->serves;
	graph->open[process]++;
	graph->drivers[process] += wait->driver;
}

/* The threads or processes that could end a wait; NULL: none is known. */
static const uint32_t *who_of(const struct graph *graph, const struct wait *wait)
{
	return wait->count ? &graph->waits->who.item[wait->begin] : NULL;
}

/* How many threads of a process may go on but cannot end this wait. */
static uint32_t open_apart(const struct graph *graph, const struct wait *wait, uint32_t process)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < wait->apart_count; i++) {
		uint32_t thread = graph->waits->who.item[wait->apart + i];

		count += graph->help[thread] == AT_WORK &&
			 graph->waits->snapshot->threads.item[thread].process == process;
	}
	if (wait->kind == MPSAN_WAIT_PIPE_WRITE || wait->kind == MPSAN_WAIT_PROCESS)
		count += graph->drivers[process];
	return count;
}

/* Whether a thread of the process polls, apart from one that asks all the time for what it lacks itself. */
static bool other_polls(const struct graph *graph, uint32_t thread, uint32_t process)
{
	bool own = graph->waits->item.item[thread].renewed &&
		   graph->waits->snapshot->threads.item[thread].process == process;

	return graph->polls[process] > own;
}

/*
 * Whether a thread of the process may go on; or a signal handler, or a thread that polls, may
 * send what is waited for. What such a thread holds in memory it has kept all the time.
 */
static bool may_act(const struct graph *graph, uint32_t thread, uint32_t process)
{
	const struct wait *wait = &graph->waits->item.item[thread];
	bool polls = other_polls(graph, thread, process);

	if (graph->open[process] > open_apart(graph, wait, process))
		return true;
	if (polls && wait->kind == MPSAN_WAIT_FILE_LOCK)
		return true;
	return (graph->handles[process] || polls) && !wait_needs_owner(wait);
}

/* Whether it waits for the end of a process, or for what another one is to send, and the main thread there goes on. */
static bool main_goes_on(const struct graph *graph, uint32_t thread, uint32_t process)
{
	const struct wait *wait = &graph->waits->item.item[thread];
	const struct snapshot *snapshot = graph->waits->snapshot;

	return graph->by_work &&
	       (wait->kind == MPSAN_WAIT_PROCESS ||
		(wait_is_read(wait) && snapshot->threads.item[thread].process != process)) &&
	       graph->help[snapshot->processes.item[process].begin] & AT_WORK_FOR_PROCESS;
}

/* Whether its wait can end: any of its processes, or all of its owners, may go on. */
static bool is_helped(const struct graph *graph, uint32_t thread)
{
	const struct wait *wait = &graph->waits->item.item[thread];
	const uint32_t *who = who_of(graph, wait);

	if (wait->end == WAIT_NOBODY)
		return false;
	if (wait->by_job && graph->job_is_open)
		return true;
	for (uint32_t i = 0; i < wait->count; i++) {
		if (wait->end == WAIT_PROCESSES &&
		    (may_act(graph, thread, who[i]) || main_goes_on(graph, thread, who[i])))
			return true;
		if (wait->end == WAIT_OWNERS && graph->dead[who[i]])
			return false;
	}
	return wait->end == WAIT_OWNERS;
}

static void find_handlers(struct graph *graph)
{
	for (uint32_t i = 0; i < graph->count; i++) {
		const struct wait *wait = &graph->waits->item.item[i];
		uint32_t process = graph->waits->snapshot->threads.item[i].process;

		if (wait->ends == MPSAN_ENDS_HANDLER ||
		    (wait->ends == MPSAN_ENDS_TIMER && !wait->handler_gives_up))
			graph->handles[process] = true;
		graph->polls[process] += wait->ends == MPSAN_ENDS_POLL && !wait->harmless;
	}
}

/* Whether an owner goes on that may do no more than that, so that the same is true of who waits for it. */
static bool is_helped_in_part(const struct graph *graph, uint32_t thread)
{
	const struct wait *wait = &graph->waits->item.item[thread];
	const uint32_t *who = who_of(graph, wait);

	for (uint32_t i = 0; graph->by_work && wait->end == WAIT_OWNERS && i < wait->count; i++)
		if (graph->help[who[i]] != AT_WORK)
			return true;
	return false;
}

static void let_go_on(struct graph *graph, uint32_t thread, enum at_work help)
{
	if (help == AT_WORK)
		set_open(graph, thread);
	graph->dead[thread] = !(help & AT_WORK_FOR_WAITERS);
	graph->help[thread] = help;
}

static void spread(struct graph *graph)
{
	bool more = true;

	while (more) {
		more = false;
		for (uint32_t i = 0; i < graph->count; i++) {
			if (!graph->dead[i] || !is_helped(graph, i))
				continue;
			let_go_on(graph, i,
				  is_helped_in_part(graph, i) ?
					  AT_WORK_FOR_WAITERS | AT_WORK_FOR_PROCESS :
					  AT_WORK);
			more = true;
		}
	}
}

static void open_all(struct graph *graph)
{
	const struct wait *wait = graph->waits->item.item;

	for (uint32_t i = 0; i < graph->count; i++)
		if (wait[i].harmless)
			graph->dead[i] = false; /* and it is no help to others */
		else if (wait[i].end == WAIT_OPEN || wait_ends_at(&wait[i]) < graph->before_ns)
			set_open(graph, i);
}

static uint32_t root_of(struct graph *graph, uint32_t thread)
{
	while (graph->group[thread] != thread)
		thread = graph->group[thread] = graph->group[graph->group[thread]];
	return thread;
}

static void graph_join(struct graph *graph, uint32_t one, uint32_t other)
{
	graph->group[root_of(graph, one)] = root_of(graph, other);
}

static void join_process(struct graph *graph, uint32_t thread, uint32_t process)
{
	const struct snapshot_process *at = &graph->waits->snapshot->processes.item[process];

	for (uint32_t i = at->begin; i < at->end; i++)
		if (graph->dead[i])
			graph_join(graph, thread, i);
}

static void find_groups(struct graph *graph)
{
	for (uint32_t i = 0; i < graph->count; i++)
		graph->group[i] = i;
	for (uint32_t i = 0; i < graph->count; i++) {
		const struct wait *wait = &graph->waits->item.item[i];
		const uint32_t *who = who_of(graph, wait);

		graph->next[i] = graph->dead[i] && wait->holder != SNAPSHOT_NONE &&
						 graph->dead[wait->holder] ?
					 wait->holder :
					 GRAPH_NONE;
		for (uint32_t k = 0; graph->dead[i] && k < wait->count; k++) {
			if (wait->end == WAIT_PROCESSES) {
				join_process(graph, i, who[k]);
			} else if (graph->dead[who[k]]) {
				graph->next[i] = who[k];
				graph_join(graph, i, who[k]);
			}
		}
	}
	for (uint32_t i = 0; i < graph->count; i++)
		graph->group[i] = graph->dead[i] ? root_of(graph, i) : GRAPH_NONE;
}

static void make_room(struct graph *graph, uint32_t threads)
{
	if (graph->room >= threads)
		return;
	graph->room = 2 * threads;
	graph->dead = memory_grow(graph->dead, graph->room * sizeof(*graph->dead));
	graph->help = memory_grow(graph->help, graph->room * sizeof(*graph->help));
	graph->group = memory_grow(graph->group, graph->room * sizeof(*graph->group));
	graph->next = memory_grow(graph->next, graph->room * sizeof(*graph->next));
	graph->open = memory_grow(graph->open, graph->room * sizeof(*graph->open));
	graph->drivers = memory_grow(graph->drivers, graph->room * sizeof(*graph->drivers));
	graph->handles = memory_grow(graph->handles, graph->room * sizeof(*graph->handles));
	graph->polls = memory_grow(graph->polls, graph->room * sizeof(*graph->polls));
	graph->seen = memory_grow(graph->seen, graph->room * sizeof(*graph->seen));
}

static void graph_begin(struct graph *graph, const struct waits *waits)
{
	size_t processes = waits->snapshot->processes.count;

	make_room(graph, waits->item.count + 1);
	graph->waits = waits;
	graph->count = waits->item.count;
	graph->job_is_open = false;
	for (uint32_t i = 0; i < graph->count; i++) {
		graph->dead[i] = true;
		graph->help[i] = AT_WORK_NOT;
	}
	memset(graph->open, 0, processes * sizeof(*graph->open));
	memset(graph->drivers, 0, processes * sizeof(*graph->drivers));
	memset(graph->handles, 0, processes * sizeof(*graph->handles));
	memset(graph->polls, 0, processes * sizeof(*graph->polls));
}

void graph_solve(struct graph *graph, const struct waits *waits, uint64_t before_ns)
{
	graph_begin(graph, waits);
	graph->before_ns = before_ns;
	graph->by_work = false;
	find_handlers(graph);
	open_all(graph);
	spread(graph);
	find_groups(graph);
}

void graph_solve_work(struct graph *graph, const struct waits *waits, const enum at_work *work)
{
	graph_begin(graph, waits);
	graph->by_work = true;
	for (uint32_t i = 0; i < graph->count; i++)
		let_go_on(graph, i, work[i]);
	spread(graph);
}

void graph_finish(struct graph *graph)
{
	free(graph->dead);
	free(graph->help);
	free(graph->group);
	free(graph->next);
	free(graph->open);
	free(graph->drivers);
	free(graph->handles);
	free(graph->polls);
	free(graph->seen);
	*graph = (struct graph){0};
}

uint32_t graph_cycle(const struct graph *graph, uint32_t from)
{
	memset(graph->seen, 0, graph->count * sizeof(*graph->seen));
	while (from != GRAPH_NONE && graph->dead[from] && !graph->seen[from]) {
		graph->seen[from] = 1;
		from = graph->next[from];
	}
	return from != GRAPH_NONE && graph->dead[from] ? from : GRAPH_NONE;
}

/* Whether a thread cannot end the waits of a group: those of it that it could, are open. */
static bool is_apart(const struct graph *graph, uint32_t group, uint32_t thread)
{
	for (uint32_t i = 0; i < graph->count; i++) {
		const struct wait *wait = &graph->waits->item.item[i];

		for (uint32_t k = 0; graph->group[i] == group && k < wait->apart_count; k++)
			if (graph->waits->who.item[wait->apart + k] == thread)
				return true;
	}
	return false;
}

/* A program that only waits for signals, as timeout(1) and an init do: it watches over others. */
static bool only_supervises(const struct graph *graph, uint32_t thread)
{
	const struct snapshot *snapshot = graph->waits->snapshot;
	const struct snapshot_thread *at = &snapshot->threads.item[thread];
	const struct snapshot_process *process = &snapshot->processes.item[at->process];

	return process->end - process->begin == 1 && at->call.state == PROC_IN_CALL &&
	       !snapshot->reader->session.table[at->slot].python &&
	       (at->call.number == SYS_rt_sigsuspend || at->call.number == SYS_rt_sigtimedwait ||
		at->call.number == SYS_pause);
}

static bool somebody_is_open(const struct graph *graph, uint32_t group)
{
	for (uint32_t i = 0; i < graph->count; i++)
		if (!graph->dead[i] && !graph->waits->item.item[i].harmless &&
		    !only_supervises(graph, i) && !is_apart(graph, group, i))
			return true;
	return false;
}

bool graph_waits_for_keyboard(const struct graph *graph, uint32_t group)
{
	bool interruptible = false;

	for (uint32_t i = 0; i < graph->count; i++) {
		const struct wait *wait = &graph->waits->item.item[i];

		if (graph->group[i] != group)
			continue;
		if (!wait->joins &&
		    (wait->end != WAIT_PROCESSES || wait->kind >= MPSAN_WAIT_PROCESS))
			return false;
		interruptible |= wait->interruptible;
	}
	return interruptible && somebody_is_open(graph, group);
}
