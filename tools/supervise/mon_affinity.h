/*
 * Workers that all run on one and the same processor, which their parent chose before it made them, while
 * others are free. Neighbours: worker table.h, quota.h; the rule affinity-inherited judges.
 */
#ifndef MPSAN_MON_AFFINITY_H
#define MPSAN_MON_AFFINITY_H

#include "../waitgraph/watchlog.h"
#include "worker_table.h"

struct mon_affinity {
	const struct workers *workers;
	uint32_t processors; /* of the supervisor itself */
	bool *told; /* by slot of the parent */
};

void mon_affinity_init(struct mon_affinity *mon_affinity, const struct workers *workers);
void mon_affinity_finish(struct mon_affinity *mon_affinity);
/*
 * States a `bound` event about one of three or more workers, once for each parent; its parent_slot is a slot
 * + 1, `siblings` are those beside it, and `busy` is for how long it ran or waited for that processor.
 */
void mon_affinity_look(struct mon_affinity *mon_affinity, struct watchlog *log);

#endif
