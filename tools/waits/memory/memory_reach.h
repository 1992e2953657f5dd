/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which processes could access a piece of shared memory, and so end a wait there: those that map
 * it; those that have a descriptor of it, or one that may carry such a descriptor; those that could
 * open it by name. If a process outside the session has it or could learn its name, the wait is
 * open. Neighbours: wakers.h caches the answers, descriptors.h and memory_names.h have the parts.
 */
#pragma once

#include "../../proc/in_flight.h"
#include "../snapshot.h"

/* Processes of the session by slot, and whether there are others. */
struct memory_reach_processes {
	uint64_t at_ns; /* when they were looked up; 0: never */
	bool strangers; /* processes outside the session are among them */
	ARRAY(uint32_t) slots;
};

struct reach {
	uint64_t device, inode;
	struct memory_reach_processes mappers;
	uint64_t mapped; /* how often they map it, in total */
	uint64_t pid_ns; /* the PID namespace of the first of them */
	bool scattered; /* others are in another one, with other TIDs */
	struct memory_reach_processes others; /* those that could map it; expensive to find */
	uint64_t due_ns; /* how long `others` may be used */
	bool by_job; /* any process of the job could: by a name, an id, or another's descriptor */
};

void memory_reach_ask_mappers(struct reach *reach, const struct snapshot *snapshot);

/*
 * Finds processes that could still map the memory that `pid` maps at `address`. Walks the
 * descriptors of all processes if the memory can have any.
 */
void memory_reach_ask_others(struct reach *reach, const struct snapshot *snapshot, uint32_t pid,
			     uint64_t address);

/* The job, as a sender of descriptors. */
struct flight_job memory_reach_job(const struct snapshot *snapshot);

void memory_reach_free(struct reach *reach);
