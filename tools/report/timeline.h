/*
 * What happened when: the lives of processes and threads, waits, held locks, forks, messages, shared memory. For
 * formats that draw. Made from the facts of a reader; all times are CLOCK_REALTIME in nanoseconds, corrected by the
 * skew of their host. Neighbours: report.h carries it, out_perfetto.c and out_html.c draw it.
 */
#ifndef MPSAN_TIMELINE_H
#define MPSAN_TIMELINE_H

#include <jansson.h>

#include "../findings/judge.h"

#define LINE_NONE UINT32_MAX

/* One image of a process: an exec begins another. `end_ns` 0: it was alive when the session ended. */
struct line_process {
	uint32_t source; /* index of the session in report.source */
	uint32_t slot;
	uint32_t pid;
	uint32_t parent; /* index, LINE_NONE: not watched */
	char *name;
	uint64_t begin_ns, end_ns;
};

struct line_thread {
	uint32_t process; /* index */
	uint32_t tid;
	char *name;
	uint64_t begin_ns,
		/* when it is first and last known of; end_ns 0: to the end of the process */
		end_ns;
};

enum span_kind { SPAN_WAIT, SPAN_HOLD, SPAN_REGION };
struct line_span {
	uint32_t thread; /* index */
	uint32_t kind; /* enum span_kind */
	uint64_t begin_ns, end_ns; /* end_ns 0: it never ended */
	char *what; /* in words: "Python lock 0x…", "the end of process 12" */
};

enum flow_kind { FLOW_FORK, FLOW_MESSAGE };
struct line_flow {
	uint32_t kind; /* enum flow_kind */
	uint32_t from, to; /* threads (index) */
	uint64_t from_ns, to_ns;
	uint32_t object; /* index of what was sent, LINE_NONE */
};

enum object_kind { OBJECT_SEGMENT, OBJECT_EXPORT };
/* A piece of shared memory, of the host or of a device. */
struct line_object {
	uint32_t kind; /* enum object_kind */
	uint32_t owner; /* process (index) that made it, LINE_NONE */
	uint64_t bytes;
	uint64_t begin_ns, end_ns; /* end_ns 0: still there at the end of the session */
	char *name;
};

/* A process has an object mapped, or open. */
struct line_use {
	uint32_t object, process; /* indices */
	uint64_t begin_ns, end_ns; /* end_ns 0: until its end */
};

enum level_kind { LEVEL_MAPPED, LEVEL_EXPORTED, LEVEL_OPENED, LEVEL_KINDS };
/*
 * How much memory a process has from here on, of segments mapped, device memory exported, or opened: over all there
 * was, whether or not it is among the objects, and in steps small enough to draw.
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
	ARRAY(struct line_level) levels; /* each process's levels of a kind in the order of time */
	uint64_t left_out; /* beyond what is kept: told in `limits` */
};

struct timeline *timeline_create(void);
void timeline_destroy(struct timeline *timeline);

/* Adds one session, which is number `source` of the report and whose host's clock is ahead by skew_ns. */
void timeline_add(struct timeline *timeline, uint32_t source, int64_t skew_ns,
		  const struct judge *judge);

#endif
