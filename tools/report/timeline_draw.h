/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adds one session to a timeline: what timeline.c, timeline_spans.c and timeline_memory.c share.
 * Neighbour: timeline.h.
 */
#pragma once

#include "timeline.h"

/*
 * Limits over all sessions; what exceeds them is counted in `left_out`. Of too many objects every
 * nth is kept, over the whole session.
 */
#define LINE_SPANS_MAX 1000000u
#define LINE_USES_MAX 1000000u
#define LINE_THREADS_MAX 200000u
#define LINE_FLOWS_MAX 200000u
#define LINE_OBJECTS_MAX 50000u
/*
 * Threads and locks per session whose names are looked up, which takes a search each; the others
 * are numbered.
 */
#define LINE_NAMES_MAX 20000u
#define LINE_LOCKS_NAMED_MAX 5000u

/* Memory of a process goes up or down; session time. */
struct change {
	uint64_t time_ns;
	int64_t bytes;
	uint32_t process;
	uint32_t kind; /* enum level_kind */
};

struct drawing {
	struct timeline *line;
	const struct judge *judge;
	const struct reader *reader;
	const struct facts *facts;
	uint32_t source;
	int64_t skew_ns;
	uint32_t *process_of; /* by slot: index; LINE_NONE: none */
	struct index_map *threads; /* by slot and TID: index */
	struct index_map *locks; /* by slot, address and kind: index into lock_names */
	struct index_map
		*waits; /* by thread, lock and kind: the newest span of a wait, or of a hold */
	bool *missed; /* by held: a thread waited for it, or failed to release it */
	ARRAY(char *) lock_names;
	uint32_t threads_named, waits_named;
	ARRAY(struct change) changes;
};

/* Converts session time to the timeline's; 0 stays 0. */
uint64_t draw_time(const struct drawing *drawing, uint64_t time_ns);

/* The process of a slot; LINE_NONE: none. */
uint32_t draw_process(const struct drawing *drawing, uint32_t slot);

/* The thread of a slot, alive at `time_ns`; added if it is new. LINE_NONE: none. */
uint32_t draw_thread(struct drawing *drawing, uint32_t slot, uint32_t tid, uint64_t time_ns);

/* When the process of a slot ended, also by exec; 0: it has not ended. */
uint64_t draw_end_ns(const struct drawing *drawing, uint32_t slot);

/* Adds a flow between two threads; session time. */
void draw_flow(struct drawing *drawing, enum flow_kind kind, uint32_t object,
	       const uint32_t threads[2], const uint64_t times[2]);

void draw_spans(struct drawing *drawing);
void draw_memory(struct drawing *drawing);

/* The process of that slot has `bytes` more between two times; `end` 0: to its end. */
void draw_change(struct drawing *drawing, enum level_kind kind, uint32_t slot, uint64_t bytes,
		 uint64_t begin, uint64_t end);
void draw_levels(struct drawing *drawing);
