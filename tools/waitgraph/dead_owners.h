/*
 * What the death of a process has cost the living: a shared lock that nobody gives back, a wake-up
 * that nobody confirms, a task of a pool that nobody has any more. Neighbours: cross_process.h draws the
 * conclusions from what is gathered here, deadlocks.h states them.
 */
#ifndef MPSAN_DEAD_OWNERS_H
#define MPSAN_DEAD_OWNERS_H

#include "cross_process.h"
#include "graph.h"

struct dead_owner {
	enum mpsan_deadlock_cause cause;
	uint32_t thread; /* of the snapshot: who waits for what is lost */
	bool proof;
	uint32_t dead_slot;
	uint64_t taken; /* return address of the dead one's call, 0: not known */
	const char *detail; /* constant text, NULL: nothing to add */
};

struct dead_owners {
	struct shared *shared;
	bool begun; /* `shared` knows what there was at this look */
	uint64_t pools_due_ns; /* not before this time are pools looked at again */
	int64_t oom_kills; /* of the control group when the session began; -1: not known */
};

void dead_owners_init(struct dead_owners *dead_owners, const struct reader *reader);
void dead_owners_finish(struct dead_owners *dead_owners);

/* Calls `see` for each loss that the threads of a look suffer and that was not told. */
void dead_owners_find(struct dead_owners *dead_owners, const struct graph *graph,
		      void (*see)(const struct dead_owner *dead_owner, void *context),
		      void *context);

#endif
