/*
 * What the supervisor sees of workers as a whole, with each new census: how loaded the machine is, on which
 * processors they run, what memory they copied, whose failure nobody noticed. Neighbours: watch.h
 * calls, knots.h takes the census.
 */
#ifndef MPSAN_PEOPLE_H
#define MPSAN_PEOPLE_H

#include "bound.h"
#include "growth.h"
#include "heeded.h"
#include "../waitgraph/knots.h"
#include "load.h"
#include "unnoticed.h"

struct people {
	struct knots *knots;
	struct crowd crowd;
	struct load load;
	struct bound bound;
	struct growth growth;
	struct unnoticed unnoticed;
	struct heeded heeded;
	uint64_t seen_ns; /* of the last census */
};

void people_init(struct people *people, struct knots *knots);
/* Does nothing while there is no new census. */
void people_look(struct people *people);
/* States what only the whole session shows; before the supervisor's log is read for the last time. */
void people_finish(struct people *people);

/* Whether a worker lost its parent so shortly ago that it may still follow it, or is just being born. */
bool people_are_open(const struct reader *reader);

#endif
