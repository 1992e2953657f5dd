/*
 * Workers that all run on one and the same processor, which their parent chose before it made them, while
 * others are free. Neighbours: crowd.h, quota.h; the rule affinity-inherited judges.
 */
#ifndef MPSAN_BOUND_H
#define MPSAN_BOUND_H

#include "crowd.h"
#include "../waitgraph/watchlog.h"

struct bound {
	const struct crowd *crowd;
	uint32_t processors; /* of the supervisor itself */
	bool *told; /* by slot of the parent */
};

void bound_init(struct bound *bound, const struct crowd *crowd);
void bound_finish(struct bound *bound);
/*
 * States a `bound` event about one of three or more workers, once for each parent; its parent_slot is a slot
 * + 1, `siblings` are those beside it, and `busy` is for how long it ran or waited for that processor.
 */
void bound_look(struct bound *bound, struct watchlog *log);

#endif
