/*
 * What the death of a process has cost the living: a shared lock that nobody gives back, a wake-up
 * that nobody confirms, a task of a pool that nobody has any more. Neighbours: cross.h draws the
 * conclusions from what is gathered here, knots.h states them.
 */
#ifndef MPSAN_LOSSES_H
#define MPSAN_LOSSES_H

#include "cross.h"
#include "graph.h"

struct loss {
	enum mpsan_knot_cause cause;
	uint32_t thread; /* of the census: who waits for what is lost */
	bool proof;
	uint32_t dead_slot;
	uint64_t taken; /* return address of the dead one's call, 0: not known */
	const char *detail; /* constant text, NULL: nothing to add */
};

struct losses {
	struct shared *shared;
	bool begun; /* `shared` knows what there was at this look */
	uint64_t pools_due_ns; /* not before this time are pools looked at again */
	int64_t oom_kills; /* of the control group when the session began; -1: not known */
};

void losses_init(struct losses *losses, const struct reader *reader);
void losses_finish(struct losses *losses);

/* Calls `see` for each loss that the threads of a look suffer and that was not told. */
void losses_find(struct losses *losses, const struct graph *graph,
		 void (*see)(const struct loss *loss, void *context), void *context);

#endif
