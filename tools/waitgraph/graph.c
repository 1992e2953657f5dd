/* SPDX-License-Identifier: Apache-2.0 */
/* Fills in the tables of a job from what its threads wait for. */
#include "graph.h"

#include "../proc/calls.h"

static enum job_excuse trait_of(const struct wait *wait)
{
	return wait->harmless ? JOB_EXCUSE_WATCHDOG :
	       wait->driver   ? JOB_EXCUSE_DRIVER :
	       wait->serves   ? JOB_EXCUSE_SERVES :
				JOB_EXCUSE_NONE;
}

static void add_ender(struct job *job, enum job_who who, uint32_t index, enum job_excuse excuse)
{
	*ARRAY_ADD(&job->enders) = (struct job_ender){who, index, excuse};
}

static void add_enders(struct job *job, const struct waits *waits, const struct wait *wait)
{
	const uint32_t *who = waits->who.item;

	for (uint32_t i = 0; i < wait->count; i++)
		add_ender(job, wait->end == WAIT_OWNERS ? JOB_THREAD : JOB_PROCESS,
			  who[wait->begin + i], JOB_EXCUSE_NONE);
	if (wait->by_job)
		add_ender(job, JOB_ALL, 0, JOB_EXCUSE_NONE);
	for (uint32_t i = 0; i < wait->apart_count; i++)
		add_ender(job, JOB_THREAD, who[wait->apart + i], JOB_EXCUSE_UNDRAINED);
}

static void add_thread(struct job *job, const struct waits *waits, uint32_t thread)
{
	const struct wait *wait = &waits->item.item[thread];
	uint32_t first = job->enders.count;

	*ARRAY_ADD(&job->threads) = (struct job_thread){
		.tid = waits->snapshot->threads.item[thread].tid,
		.process = waits->snapshot->threads.item[thread].process,
		.runs = wait->end == WAIT_OPEN,
		.trait = trait_of(wait),
	};
	if (wait->end != WAIT_OPEN)
		add_enders(job, waits, wait);
	*ARRAY_ADD(&job->waits) = wait_as_row(wait);
	job->waits.item[thread].first = first;
	job->waits.item[thread].enders = job->enders.count - first;
}

static void fill(struct graph *graph, const struct waits *waits)
{
	const struct snapshot *snapshot = waits->snapshot;

	graph->waits = waits;
	job_begin(&graph->job);
	for (uint32_t i = 0; i < snapshot->processes.count; i++)
		*ARRAY_ADD(&graph->job.processes) = (struct job_process){
			snapshot->processes.item[i].pid, snapshot->processes.item[i].begin,
			snapshot->processes.item[i].end};
	for (uint32_t i = 0; i < waits->item.count; i++)
		add_thread(&graph->job, waits, i);
}

void graph_solve(struct graph *graph, const struct waits *waits, uint64_t before_ns)
{
	fill(graph, waits);
	graph->before_ns = before_ns;
	job_solve(&graph->job, before_ns, &graph->solved);
}

void graph_solve_work(struct graph *graph, const struct waits *waits, const enum at_work *work)
{
	fill(graph, waits);
	job_solve_work(&graph->job, work, &graph->solved);
}

bool graph_goes_on(const struct graph *graph, uint32_t thread)
{
	return graph->job.threads.item[thread].runs ||
	       job_ends_at(&graph->job.waits.item[thread]) < graph->before_ns;
}

bool graph_is_kept_open(const struct graph *graph, uint32_t thread)
{
	return !graph->solved.dead[thread] && !graph_goes_on(graph, thread) &&
	       graph->waits->item.item[thread].end == WAIT_PROCESSES;
}

void graph_finish(struct graph *graph)
{
	job_solution_finish(&graph->solved);
	job_finish(&graph->job);
	*graph = (struct graph){0};
}

/* Whether a thread cannot end the waits of a group: those of it that it could, are open. */
static bool is_apart(const struct graph *graph, uint32_t group, uint32_t thread)
{
	for (uint32_t i = 0; i < graph->solved.count; i++) {
		const struct wait *wait = &graph->waits->item.item[i];

		for (uint32_t k = 0; graph->solved.group[i] == group && k < wait->apart_count; k++)
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
	       !snapshot->reader->session.table[at->slot].python && call_awaits_signal(&at->call);
}

static bool somebody_is_open(const struct graph *graph, uint32_t group)
{
	for (uint32_t i = 0; i < graph->solved.count; i++)
		if (!graph->solved.dead[i] && !graph->waits->item.item[i].harmless &&
		    !only_supervises(graph, i) && !is_apart(graph, group, i))
			return true;
	return false;
}

bool graph_waits_for_keyboard(const struct graph *graph, uint32_t group)
{
	bool interruptible = false;

	for (uint32_t i = 0; i < graph->solved.count; i++) {
		const struct wait *wait = &graph->waits->item.item[i];

		if (graph->solved.group[i] != group)
			continue;
		if (!wait->joins &&
		    (wait->end != WAIT_PROCESSES || wait->kind >= MPSAN_WAIT_PROCESS))
			return false;
		interruptible |= wait->interruptible;
	}
	return interruptible && somebody_is_open(graph, group);
}
