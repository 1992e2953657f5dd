/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Places findings in a trace: thread and time. A finding names processes by pid; its host, rank and
 * time tell which of several with that pid is meant. Neighbour: trace_plan.h.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/index_map.h"
#include "../base/jsontext.h"
#include "trace_plan.h"

/* Processes and threads by number. */
struct index {
	struct index_map *pids; /* newest process + 1 with that number */
	uint32_t *before; /* by process: the previous one with the same number + 1 */
	struct index_map *tids; /* by process and TID */
};

static void index_init(struct index *index, const struct timeline *line)
{
	*index = (struct index){index_map_create(),
				memory_get((line->processes.count + 1) * sizeof(uint32_t)),
				index_map_create()};
	for (uint32_t i = 0; i < line->processes.count; i++) {
		uint32_t pid = line->processes.item[i].pid,
			 known = index_map_find(index->pids, 0, pid, 0);

		index->before[i] = known == FACT_NONE ? 0 : known + 1;
		index_map_add(index->pids, 0, pid, 0, i);
	}
	for (uint32_t i = 0; i < line->threads.count; i++)
		index_map_add(index->tids, line->threads.item[i].process, line->threads.item[i].tid,
			      0, i);
}

static void index_finish(struct index *index)
{
	index_map_destroy(index->pids);
	index_map_destroy(index->tids);
	free(index->before);
}

/* Whether a finding was seen in a session; a report of one session does not say. */
static bool trace_findings_is_there(const struct report_source *source, const json_t *finding)
{
	const char *host = json_string_value(json_object_get(finding, "host"));
	const json_t *rank = json_object_get(finding, "rank");

	if (host && (!source->host || strcmp(host, source->host)))
		return false;
	return !json_is_integer(rank) ||
	       json_integer_value(rank) + 1 == (json_int_t)source->facts.rank;
}

/*
 * The process with that number that lived at that place and time, else the newest with that number.
 */
static uint32_t find_process(const struct trace_plan *plan, const struct index *index,
			     const json_t *finding, uint32_t pid, uint64_t time_ns)
{
	uint32_t newest = pid ? index_map_find(index->pids, 0, pid, 0) : FACT_NONE;

	for (uint32_t at = newest == FACT_NONE ? 0 : newest + 1; at; at = index->before[at - 1]) {
		const struct line_process *process = &plan->line->processes.item[at - 1];

		if (process->begin_ns <= time_ns &&
		    (!process->end_ns || process->end_ns >= time_ns) &&
		    (process->source >= plan->report->source.count ||
		     trace_findings_is_there(&plan->report->source.item[process->source], finding)))
			return at - 1;
	}
	return newest;
}

/*
 * Adds a mark on the finding's thread, else on its process's main thread, else on the first thread.
 */
static void trace_findings_add(struct trace_plan *plan, const struct index *index,
			       enum planned_kind kind, uint32_t number, uint32_t step,
			       const json_t *finding)
{
	const json_t *object = kind == PLAN_STEP ?
				       json_array_get(json_object_get(finding, "evidence"), step) :
				       finding;
	uint64_t time_ns = (uint64_t)jsontext_number(object, "time_ns");
	uint32_t pid = (uint32_t)jsontext_number(object, "pid"),
		 process = find_process(plan, index, finding, pid, time_ns), thread = FACT_NONE;

	if (process != FACT_NONE) {
		thread = index_map_find(index->tids, process,
					(uint32_t)jsontext_number(object, "tid"), 0);
		if (thread == FACT_NONE)
			thread = index_map_find(index->tids, process, pid, 0);
	}
	if (thread == FACT_NONE)
		thread = 0;
	trace_plan_add(plan, kind, number, thread, time_ns)->step = step;
}

void trace_plan_findings(struct trace_plan *plan)
{
	struct index index;
	json_t *finding;
	size_t i;

	if (!plan->line->threads.count)
		return;
	index_init(&index, plan->line);
	json_array_foreach(json_object_get(plan->report->document, "findings"), i, finding) {
		size_t steps = json_array_size(json_object_get(finding, "evidence"));

		trace_findings_add(plan, &index, PLAN_FINDING, (uint32_t)i, 0, finding);
		for (size_t k = 0; k < steps; k++)
			trace_findings_add(plan, &index, PLAN_STEP, (uint32_t)i, (uint32_t)k,
					   finding);
	}
	index_finish(&index);
}
