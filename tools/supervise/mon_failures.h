/*
 * Workers that ended badly while their parent stands in a wait for another process alone. Neighbours:
 * worker table.h, waits.h; the rule worker-failed judges.
 */
#ifndef MPSAN_MON_FAILURES_H
#define MPSAN_MON_FAILURES_H

#include "../waitgraph/waits.h"
#include "../waitgraph/watchlog.h"
#include "worker_table.h"

struct mon_failures {
	const struct workers *workers;
	const struct waits *waits;
	bool *done; /* by slot: its end needs no further look */
};

void mon_failures_init(struct mon_failures *mon_failures, const struct workers *workers,
		       const struct waits *waits);
void mon_failures_finish(struct mon_failures *mon_failures);
/*
 * States an `unnoticed` event about the parent's thread that waits; its worker_slot is a slot + 1. Also
 * writes down how a process ended that nobody has asked for.
 */
void mon_failures_look(struct mon_failures *mon_failures, struct watchlog *log);

#endif
