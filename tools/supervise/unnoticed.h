/*
 * Workers that ended badly while their parent stands in a wait for another process alone. Neighbours:
 * crowd.h, waits.h; the rule worker-failed judges.
 */
#ifndef MPSAN_UNNOTICED_H
#define MPSAN_UNNOTICED_H

#include "crowd.h"
#include "../waitgraph/waits.h"
#include "../waitgraph/watchlog.h"

struct unnoticed {
	const struct crowd *crowd;
	const struct waits *waits;
	bool *done; /* by slot: its end needs no further look */
};

void unnoticed_init(struct unnoticed *unnoticed, const struct crowd *crowd,
		    const struct waits *waits);
void unnoticed_finish(struct unnoticed *unnoticed);
/*
 * States an `unnoticed` event about the parent's thread that waits; its worker_slot is a slot + 1. Also
 * writes down how a process ended that nobody has asked for.
 */
void unnoticed_look(struct unnoticed *unnoticed, struct watchlog *log);

#endif
