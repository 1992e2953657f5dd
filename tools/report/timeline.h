/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The timeline: lives of processes and threads, waits, held locks, forks, messages, shared memory,
 * for formats that draw. Built from a reader's facts; all times are CLOCK_REALTIME in nanoseconds,
 * corrected by the skew of their host. Neighbours: report.h carries it, out_perfetto.c and
 * out_html.c draw it.
 */
#pragma once

#include "../findings/judge.h"

#define LINE_NONE UINT32_MAX

/* One image of a process: exec begins another. `end_ns` 0: alive when the session ended. */
struct line_process {
	uint32_t source; /* index of the session in report.source */
	uint32_t slot;
	uint32_t pid;
	uint32_t parent; /* index; LINE_NONE: not watched */
	char *name;
	uint64_t begin_ns, end_ns;
};

struct line_thread {
	uint32_t process; /* index */
	uint32_t tid;
	char *name;
	uint64_t begin_ns,
		/* first and last known time; end_ns 0: until the end of the process */
		end_ns;
};

enum span_kind { SPAN_WAIT, SPAN_HOLD, SPAN_REGION };
struct line_span {
	uint32_t thread; /* index */
	uint32_t kind; /* enum span_kind */
	uint64_t begin_ns, end_ns; /* end_ns 0: it never ended */
	char *what; /* text: "Python lock 0x…", "the end of process 12" */
};

enum flow_kind { FLOW_FORK, FLOW_MESSAGE };
struct line_flow {
	uint32_t kind; /* enum flow_kind */
	uint32_t from, to; /* threads (index) */
	uint64_t from_ns, to_ns;
	uint32_t object; /* index of what was sent; LINE_NONE: nothing */
};

enum object_kind { OBJECT_SEGMENT, OBJECT_EXPORT };
/* A shared-memory segment or exported device memory. */
struct line_object {
	uint32_t kind; /* enum object_kind */
	uint32_t owner; /* index of the process that created it; LINE_NONE: unknown */
	uint64_t bytes;
	uint64_t begin_ns, end_ns; /* end_ns 0: still there when the session ended */
	char *name;
};

/* The time during which a process has an object mapped or open. */
struct line_use {
	uint32_t object, process; /* indices */
	uint64_t begin_ns, end_ns; /* end_ns 0: until the process ended */
};

enum level_kind { LEVEL_MAPPED, LEVEL_EXPORTED, LEVEL_OPENED, LEVEL_KINDS };
/*
 * The memory of a process from this time on: mapped segments, exports or imports. Counts all
 * memory, whether or not it is among the objects, in steps coarse enough to draw.
 */
struct line_level {
	uint32_t process; /* index */
	uint32_t kind; /* enum level_kind */
	uint64_t at_ns;
	uint64_t bytes;
};

struct timeline {
	ARRAY(struct line_process) processes;
	ARRAY(struct line_thread) threads;
	ARRAY(struct line_span) spans;
	ARRAY(struct line_flow) flows;
	ARRAY(struct line_object) objects;
	ARRAY(struct line_use) uses;
	ARRAY(struct line_level) levels; /* by process and kind, in the order of time */
	uint64_t left_out; /* items over the limits: reported in `limits` */
};

struct timeline *timeline_create(void);
void timeline_destroy(struct timeline *timeline);

/* Adds session number `source` of the report, whose host's clock is ahead by skew_ns. */
void timeline_add(struct timeline *timeline, uint32_t source, int64_t skew_ns,
		  const struct judge *judge);
