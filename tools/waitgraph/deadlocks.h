/*
 * Looks for threads that cannot go on and states them, once, in the supervisor's log: each as a
 * `blocked` event, then the `deadlock` that they make. Rules judge what was stated; nothing is judged
 * here. Neighbours: snapshot.h, waits.h and graph.h find, watchlog.h keeps, watch.h calls.
 */
#ifndef MPSAN_DEADLOCKS_H
#define MPSAN_DEADLOCKS_H

#include "dead_owners.h"
#include "graph.h"
#include "watchlog.h"

struct deadlocks {
	const struct reader *reader;
	struct snapshot snapshot;
	struct waits waits;
	struct graph graph;
	struct dead_owners dead_owners;
	struct watchlog log;
	uint64_t hang_after_ns; /* 0: waits without a proof are not stated */
	uint64_t next_ns; /* not before this time is the next look due */
	bool blind; /* threads that may not be looked at were stated as a limit */
	bool hidden; /* so were processes that /proc hides */
};

void deadlocks_init(struct deadlocks *deadlocks, const struct reader *reader,
		    uint64_t hang_after_ns);
void deadlocks_finish(struct deadlocks *deadlocks);

/* Takes a look, if it is time for one: often enough to prove soon, seldom enough to cost little. */
void deadlocks_look(struct deadlocks *deadlocks, uint64_t now_ns);

/* Whether a further look could still prove something about the threads that there are. */
bool deadlocks_are_open(const struct deadlocks *deadlocks);

#endif
