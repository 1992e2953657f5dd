/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a trace shows, in the order of time: which slices nest on the track of their thread, where
 * flows begin and end, values of counters. All times are nanoseconds since the first event.
 * Neighbours: out_perfetto.c writes it, timeline.h is the source.
 */
#pragma once

#include "../report/report.h"

/* In their order at equal times: enclosing slices begin first and end last. */
enum planned_kind {
	PLAN_LIFE, /* index: thread */
	PLAN_SLICE, /* index: span, on the track of its thread */
	PLAN_FORK, /* index: flow; a slice of the thread that forks */
	PLAN_SPAN_BEGIN, /* index: span that does not nest, beside the track */
	PLAN_OBJECT_BEGIN, /* index: object */
	PLAN_USE_BEGIN, /* index: use */
	PLAN_FLOW_BEGIN, /* index: flow */
	PLAN_FLOW_END,
	PLAN_LEVEL, /* index: level */
	PLAN_FINDING, /* index: finding */
	PLAN_STEP, /* index: finding */
	PLAN_USE_END,
	PLAN_OBJECT_END,
	PLAN_SPAN_END,
};

struct planned {
	uint64_t at_ns, lasts_ns;
	uint32_t step; /* of a PLAN_STEP */
	uint32_t index;
	uint32_t thread; /* of a finding or step; LINE_NONE: none */
	uint32_t kind; /* enum planned_kind */
};

struct life {
	uint64_t begin_ns, end_ns; /* CLOCK_REALTIME, as in the timeline */
};

struct trace_plan {
	const struct report *report;
	const struct timeline *line;
	uint64_t begin_ns, end_ns; /* of the whole trace, CLOCK_REALTIME */
	struct life *lives; /* by thread */
	ARRAY(struct planned) events;
};

void trace_plan_init(struct trace_plan *plan, const struct report *report);
void trace_plan_finish(struct trace_plan *plan);

/* trace_findings.c: adds the findings and their steps, each on its thread. */
void trace_plan_findings(struct trace_plan *plan);

/*
 * Adds an event at a time of the timeline, limited to the trace and, if there is one, to the
 * thread's life.
 */
struct planned *trace_plan_add(struct trace_plan *plan, enum planned_kind kind, uint32_t index,
			       uint32_t thread, uint64_t time_ns);
