/*
 * Findings in a trace: on which thread, and when. A finding names processes by pid and times by its host's clock, so
 * both lead to the session that it is of. Neighbour: trace_plan.h.
 */
#include <stdlib.h>

#include "trace_plan.h"

/* Processes and threads by their numbers. */
struct index {
	struct place_map *pids; /* newest process + 1 of that number */
	uint32_t *before; /* by process: the one before of the same number + 1 */
	struct place_map *tids; /* by process and TID */
};

static void index_init(struct index *index, const struct timeline *line)
{
	*index = (struct index){places_create(),
				memory_get((line->processes.count + 1) * sizeof(uint32_t)),
				places_create()};
	for (uint32_t i = 0; i < line->processes.count; i++) {
		uint32_t pid = line->processes.item[i].pid,
			 known = places_find(index->pids, 0, pid, 0);

		index->before[i] = known == FACT_NONE ? 0 : known + 1;
		places_add(index->pids, 0, pid, 0, i);
	}
	for (uint32_t i = 0; i < line->threads.count; i++)
		places_add(index->tids, line->threads.item[i].process, line->threads.item[i].tid, 0,
			   i);
}

static void index_finish(struct index *index)
{
	places_destroy(index->pids);
	places_destroy(index->tids);
	free(index->before);
}

static int64_t number_at(const json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}

static uint64_t skew_of(const struct trace_plan *plan, uint32_t process)
{
	uint32_t source = plan->line->processes.item[process].source;

	return source < plan->report->source.count ?
		       (uint64_t)plan->report->source.item[source].skew_ns :
		       0;
}

/* The process of that number that lived at that time of its host, else the newest of that number. */
static uint32_t find_process(const struct trace_plan *plan, const struct index *index, uint32_t pid,
			     uint64_t time_ns)
{
	uint32_t newest = pid ? places_find(index->pids, 0, pid, 0) : FACT_NONE;

	for (uint32_t at = newest == FACT_NONE ? 0 : newest + 1; at; at = index->before[at - 1]) {
		const struct line_process *process = &plan->line->processes.item[at - 1];
		uint64_t there = time_ns - skew_of(plan, at - 1);

		if (process->begin_ns <= there && (!process->end_ns || process->end_ns >= there))
			return at - 1;
	}
	return newest;
}

/* Without a thread that is known it stands on its process's main thread, at last on the first thread. */
static void add(struct trace_plan *plan, const struct index *index, enum planned_kind kind,
		uint32_t finding, uint32_t step, const json_t *object)
{
	uint64_t time_ns = (uint64_t)number_at(object, "time_ns");
	uint32_t pid = (uint32_t)number_at(object, "pid"),
		 process = find_process(plan, index, pid, time_ns), thread = FACT_NONE;

	if (process != FACT_NONE) {
		time_ns -= skew_of(plan, process);
		thread = places_find(index->tids, process, (uint32_t)number_at(object, "tid"), 0);
		if (thread == FACT_NONE)
			thread = places_find(index->tids, process, pid, 0);
	}
	if (thread == FACT_NONE)
		thread = 0;
	trace_plan_add(plan, kind, finding, thread, time_ns)->step = step;
}

void trace_plan_findings(struct trace_plan *plan)
{
	struct index index;
	json_t *finding, *step;
	size_t i, k;

	if (!plan->line->threads.count)
		return;
	index_init(&index, plan->line);
	json_array_foreach(json_object_get(plan->report->document, "findings"), i, finding)
	{
		add(plan, &index, PLAN_FINDING, (uint32_t)i, 0, finding);
		json_array_foreach(json_object_get(finding, "evidence"), k, step)
			add(plan, &index, PLAN_STEP, (uint32_t)i, (uint32_t)k, step);
	}
	index_finish(&index);
}
