/*
 * Looks for threads that cannot go on and states them, once, in the supervisor's log: each as a
 * `blocked` event, then the `knot` that they make. Rules judge what was stated; nothing is judged
 * here. Neighbours: census.h, waits.h and graph.h find, watchlog.h keeps, watch.h calls.
 */
#ifndef MPSAN_KNOTS_H
#define MPSAN_KNOTS_H

#include "graph.h"
#include "losses.h"
#include "watchlog.h"

struct knots {
	const struct reader *reader;
	struct census census;
	struct waits waits;
	struct graph graph;
	struct losses losses;
	struct watchlog log;
	uint64_t hang_after_ns; /* 0: waits without a proof are not stated */
	uint64_t next_ns; /* not before this time is the next look due */
	bool blind; /* threads that may not be looked at were stated as a limit */
	bool hidden; /* so were processes that /proc hides */
};

void knots_init(struct knots *knots, const struct reader *reader, uint64_t hang_after_ns);
void knots_finish(struct knots *knots);

/* Takes a look, if it is time for one: often enough to prove soon, seldom enough to cost little. */
void knots_look(struct knots *knots, uint64_t now_ns);

/* Whether a further look could still prove something about the threads that there are. */
bool knots_are_open(const struct knots *knots);

#endif
