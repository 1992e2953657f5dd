/*
 * Who could come to a piece of shared memory, and so end a wait there: those who map it; those who have a
 * descriptor of it, or one behind which such a descriptor may be kept; those whom a name leads to it. What
 * somebody has who is not of the session, or may be told a name, makes it open to anybody. Neighbours:
 * wakers.h keeps the answers, descriptors.h and memory_names.h have the parts.
 */
#ifndef MPSAN_MEMORY_REACH_H
#define MPSAN_MEMORY_REACH_H

#include "../proc/in_flight.h"
#include "snapshot.h"

/* Processes of the session by slot, with those who are not. */
struct memory_reach_people {
	uint64_t at_ns; /* when they were asked, 0: never */
	bool strangers; /* somebody who is not of the session is among them */
	ARRAY(uint32_t) slots;
};

struct reach {
	uint64_t device, inode;
	struct memory_reach_people mappers;
	uint64_t mapped; /* how often they do, together */
	bool elsewhere; /* one of them lives in another pid namespace: TIDs there are not ours */
	struct memory_reach_people others; /* who could come to map it; dear to know */
	uint64_t due_ns; /* for how long the others may be believed */
	bool by_job; /* any process of the job could: by a name, an id, or another's descriptor */
};

void memory_reach_ask_mappers(struct reach *reach, const struct snapshot *snapshot);

/* `pid` maps it at `address`. Walks over the descriptors of all processes, where it has any. */
void memory_reach_ask_others(struct reach *reach, const struct snapshot *snapshot, uint32_t pid,
			     uint64_t address);

/* The job, as a sender of descriptors. */
struct flight_job memory_reach_job(const struct snapshot *snapshot);

void memory_reach_free(struct reach *reach);

#endif
