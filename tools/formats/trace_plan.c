/* SPDX-License-Identifier: Apache-2.0 */
/* Plans a trace: nests slices on the tracks of threads and orders all events in time. */
#include "trace_plan.h"

#include <stdlib.h>

/* A slice on a thread's track, to be nested. */
struct slice {
	uint64_t begin_ns, end_ns;
	uint32_t thread;
	uint32_t kind; /* PLAN_SLICE, PLAN_FORK */
	uint32_t index;
};

typedef ARRAY(struct slice) slices;

static void trace_plan_widen(struct trace_plan *plan, uint64_t time_ns)
{
	if (!time_ns)
		return;
	if (!plan->begin_ns || time_ns < plan->begin_ns)
		plan->begin_ns = time_ns;
	if (time_ns > plan->end_ns)
		plan->end_ns = time_ns;
}

static void find_bounds(struct trace_plan *plan)
{
	const struct timeline *line = plan->line;

	for (uint32_t i = 0; i < line->processes.count; i++) {
		trace_plan_widen(plan, line->processes.item[i].begin_ns);
		trace_plan_widen(plan, line->processes.item[i].end_ns);
	}
	for (uint32_t i = 0; i < line->threads.count; i++)
		trace_plan_widen(plan, line->threads.item[i].begin_ns);
	for (uint32_t i = 0; i < line->spans.count; i++) {
		trace_plan_widen(plan, line->spans.item[i].begin_ns);
		trace_plan_widen(plan, line->spans.item[i].end_ns);
	}
	for (uint32_t i = 0; i < line->flows.count; i++) {
		trace_plan_widen(plan, line->flows.item[i].from_ns);
		trace_plan_widen(plan, line->flows.item[i].to_ns);
	}
	for (uint32_t i = 0; i < line->objects.count; i++) {
		trace_plan_widen(plan, line->objects.item[i].begin_ns);
		trace_plan_widen(plan, line->objects.item[i].end_ns);
	}
	for (uint32_t i = 0; i < line->uses.count; i++) {
		trace_plan_widen(plan, line->uses.item[i].begin_ns);
		trace_plan_widen(plan, line->uses.item[i].end_ns);
	}
	for (uint32_t i = 0; i < line->levels.count; i++)
		trace_plan_widen(plan, line->levels.item[i].at_ns);
}

static uint64_t end_or(uint64_t end_ns, uint64_t other)
{
	return end_ns ? end_ns : other;
}

static void extend(struct life *life, uint64_t time_ns)
{
	if (time_ns && time_ns < life->begin_ns)
		life->begin_ns = time_ns;
	if (time_ns > life->end_ns)
		life->end_ns = time_ns;
}

/* A thread's life is extended to contain everything drawn on its track. */
static void find_lives(struct trace_plan *plan)
{
	const struct timeline *line = plan->line;

	plan->lives = memory_get((line->threads.count + 1) * sizeof(*plan->lives));
	for (uint32_t i = 0; i < line->threads.count; i++) {
		const struct line_thread *thread = &line->threads.item[i];
		uint64_t end = end_or(line->processes.item[thread->process].end_ns, plan->end_ns);

		plan->lives[i].begin_ns = thread->begin_ns ? thread->begin_ns : plan->begin_ns;
		plan->lives[i].end_ns = plan->lives[i].begin_ns;
		extend(&plan->lives[i], end_or(thread->end_ns, end));
	}
	for (uint32_t i = 0; i < line->spans.count; i++) {
		extend(&plan->lives[line->spans.item[i].thread], line->spans.item[i].begin_ns);
		extend(&plan->lives[line->spans.item[i].thread], line->spans.item[i].end_ns);
	}
	for (uint32_t i = 0; i < line->flows.count; i++) {
		extend(&plan->lives[line->flows.item[i].from], line->flows.item[i].from_ns);
		extend(&plan->lives[line->flows.item[i].to], line->flows.item[i].to_ns);
	}
}

struct planned *trace_plan_add(struct trace_plan *plan, enum planned_kind kind, uint32_t index,
			       uint32_t thread, uint64_t time_ns)
{
	struct planned *event = ARRAY_ADD(&plan->events);
	uint64_t low = plan->begin_ns, high = plan->end_ns;

	if (thread != LINE_NONE) {
		low = plan->lives[thread].begin_ns;
		high = plan->lives[thread].end_ns;
	}
	time_ns = time_ns < low ? low : time_ns > high ? high : time_ns;
	*event = (struct planned){
		.at_ns = time_ns - plan->begin_ns, .index = index, .thread = thread, .kind = kind};
	return event;
}

static void add_pair(struct trace_plan *plan, enum planned_kind begin, enum planned_kind end,
		     uint32_t index, uint64_t begin_ns, uint64_t end_ns)
{
	end_ns = end_or(end_ns, plan->end_ns);
	trace_plan_add(plan, begin, index, LINE_NONE, begin_ns);
	trace_plan_add(plan, end, index, LINE_NONE, end_ns < begin_ns ? begin_ns : end_ns);
}

static int compare_slices(const void *one, const void *other)
{
	const struct slice *a = one, *b = other;

	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	if (a->begin_ns != b->begin_ns)
		return a->begin_ns < b->begin_ns ? -1 : 1;
	if (a->end_ns != b->end_ns)
		return a->end_ns > b->end_ns ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
}

/* Adds a slice, cut to its thread's life; unknown times are 0. */
static void add_slice(const struct trace_plan *plan, slices *list, struct slice slice)
{
	const struct life *life = &plan->lives[slice.thread];

	if (slice.begin_ns < life->begin_ns)
		slice.begin_ns = life->begin_ns;
	if (slice.end_ns > life->end_ns)
		slice.end_ns = life->end_ns;
	if (slice.end_ns < slice.begin_ns)
		slice.end_ns = slice.begin_ns;
	*ARRAY_ADD(list) = slice;
}

static void collect_spans(const struct trace_plan *plan, slices *list)
{
	for (uint32_t i = 0; i < plan->line->spans.count; i++) {
		const struct line_span *span = &plan->line->spans.item[i];

		add_slice(plan, list,
			  (struct slice){.begin_ns = span->begin_ns,
					 .end_ns = end_or(span->end_ns, plan->end_ns),
					 .thread = span->thread,
					 .kind = PLAN_SLICE,
					 .index = i});
	}
}

/*
 * A child is first heard of when it runs, which may be after its parent has forked again, or ended.
 */
static void collect_forks(const struct trace_plan *plan, slices *list)
{
	AUTO_FREE uint32_t *last = memory_get((plan->line->threads.count + 1) * sizeof(*last));

	for (uint32_t i = 0; i < plan->line->flows.count; i++) {
		const struct line_flow *flow = &plan->line->flows.item[i];
		struct slice *before = last[flow->from] ? &list->item[last[flow->from] - 1] : NULL;

		if (flow->kind != FLOW_FORK)
			continue;
		if (before && before->begin_ns <= flow->from_ns && before->end_ns > flow->from_ns)
			before->end_ns = flow->from_ns;
		add_slice(plan, list,
			  (struct slice){.begin_ns = flow->from_ns,
					 .end_ns = flow->to_ns,
					 .thread = flow->from,
					 .kind = PLAN_FORK,
					 .index = i});
		last[flow->from] = list->count;
	}
}

/*
 * Slices on a thread's track must be nested or disjoint. One that overlaps the end of another, as
 * locks may, is drawn beside the track; of forks only the flow remains then.
 */
static void nest(struct trace_plan *plan, const slices *list)
{
	ARRAY(const struct slice *) open = {0};

	for (uint32_t i = 0; i < list->count; i++) {
		const struct slice *slice = &list->item[i];
		bool fits;

		while (open.count && (open.item[open.count - 1]->thread != slice->thread ||
				      open.item[open.count - 1]->end_ns <= slice->begin_ns))
			open.count--;
		fits = !open.count || open.item[open.count - 1]->end_ns >= slice->end_ns;
		if (fits) {
			trace_plan_add(plan, (enum planned_kind)slice->kind, slice->index,
				       slice->thread, slice->begin_ns)
				->lasts_ns = slice->end_ns - slice->begin_ns;
			*ARRAY_ADD(&open) = slice;
		} else if (slice->kind == PLAN_SLICE) {
			add_pair(plan, PLAN_SPAN_BEGIN, PLAN_SPAN_END, slice->index,
				 slice->begin_ns, slice->end_ns);
		}
	}
	free(open.item);
}

static void add_tracks(struct trace_plan *plan)
{
	slices list = {0};

	for (uint32_t i = 0; i < plan->line->threads.count; i++)
		trace_plan_add(plan, PLAN_LIFE, i, i, plan->lives[i].begin_ns)->lasts_ns =
			plan->lives[i].end_ns - plan->lives[i].begin_ns;
	collect_spans(plan, &list);
	collect_forks(plan, &list);
	if (list.count)
		qsort(list.item, list.count, sizeof(*list.item), compare_slices);
	nest(plan, &list);
	free(list.item);
}

/* A flow never ends before it begins, even if the clocks of two hosts disagree. */
static void add_flows(struct trace_plan *plan)
{
	for (uint32_t i = 0; i < plan->line->flows.count; i++) {
		const struct line_flow *flow = &plan->line->flows.item[i];
		uint64_t from, to;

		from = trace_plan_add(plan, PLAN_FLOW_BEGIN, i, flow->from, flow->from_ns)->at_ns;
		to = trace_plan_add(plan, PLAN_FLOW_END, i, flow->to, flow->to_ns)->at_ns;
		if (to < from)
			plan->events.count -= 2;
	}
}

static void add_memory(struct trace_plan *plan)
{
	const struct timeline *line = plan->line;

	for (uint32_t i = 0; i < line->objects.count; i++)
		add_pair(plan, PLAN_OBJECT_BEGIN, PLAN_OBJECT_END, i,
			 line->objects.item[i].begin_ns, line->objects.item[i].end_ns);
	for (uint32_t i = 0; i < line->uses.count; i++)
		add_pair(plan, PLAN_USE_BEGIN, PLAN_USE_END, i, line->uses.item[i].begin_ns,
			 line->uses.item[i].end_ns);
	for (uint32_t i = 0; i < line->levels.count; i++)
		trace_plan_add(plan, PLAN_LEVEL, i, LINE_NONE, line->levels.item[i].at_ns);
}

static int compare_events(const void *one, const void *other)
{
	const struct planned *a = one, *b = other;

	if (a->at_ns != b->at_ns)
		return a->at_ns < b->at_ns ? -1 : 1;
	if (a->kind <= PLAN_FORK && b->kind <= PLAN_FORK && a->lasts_ns != b->lasts_ns)
		return a->lasts_ns > b->lasts_ns ? -1 : 1;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
}

void trace_plan_init(struct trace_plan *plan, const struct report *report)
{
	*plan = (struct trace_plan){.report = report, .line = report->timeline};
	find_bounds(plan);
	find_lives(plan);
	add_tracks(plan);
	add_flows(plan);
	add_memory(plan);
	trace_plan_findings(plan);
	if (plan->events.count)
		qsort(plan->events.item, plan->events.count, sizeof(*plan->events.item),
		      compare_events);
}

void trace_plan_finish(struct trace_plan *plan)
{
	free(plan->lives);
	free(plan->events.item);
	*plan = (struct trace_plan){0};
}
