/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The processes of a snapshot, with what is known of each over its whole life, for the monitors of
 * load, affinity and memory. Neighbours: snapshot.h, worker_monitors.h.
 */
#pragma once

#include "../../waits/snapshot.h"

struct worker {
	bool worker; /* as process_is_worker says */
	bool python; /* a worker that runs Python */
	uint8_t looks; /* snapshots it was seen in, while that matters */
	uint16_t flags; /* of its slot at the last lookup */
	uint64_t exec_ns; /* of its slot at the last lookup */
	uint32_t parent; /* slot, FACT_NONE */
	uint32_t threads;
	uint64_t busy_ns; /* since the last snapshot: how long its threads ran or were runnable */
	uint64_t ran_ns; /* of that, on a processor */
	uint64_t total_ns, total_ran_ns; /* the same since it was first seen */
	/* for mon_cpu.c: see startup.h */
	uint8_t working; /* how often it was seen not to import; it has started then */
	bool starts, rank;
	uint64_t rank_due_ns; /* when that may be asked again */
	uint64_t worked_ns; /* ran since it has started */
};

struct workers {
	const struct reader *reader;
	const struct snapshot *snapshot;
	struct worker *member; /* by slot */
};

void worker_table_init(struct workers *workers, const struct reader *reader,
		       const struct snapshot *snapshot);
void worker_table_finish(struct workers *workers);

/* Processes a new snapshot. */
void worker_table_take(struct workers *workers);

/* How long a thread of the snapshot ran or was runnable since the previous one. */
uint64_t worker_table_busy_ns(const struct snapshot *snapshot, uint32_t thread);

/* Iterates over the processes of the snapshot. */
#define WORKERS_EACH(workers, slot)                                              \
	for (uint32_t slot##_at = 0, slot;                                       \
	     slot##_at < (workers)->snapshot->processes.count &&                 \
	     (slot = (workers)->snapshot->processes.item[slot##_at].slot, true); \
	     slot##_at++)
