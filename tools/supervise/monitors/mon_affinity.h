/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Detects workers that all run on the same processor, because their parent was bound to it when it
 * made them, while others are idle. Neighbours: worker_table.h, quota.h; the rule
 * affinity-inherited judges.
 */
#pragma once

#include "../../waits/watchlog.h"
#include "worker_table.h"

struct mon_affinity {
	const struct workers *workers;
	uint32_t processors; /* of the supervisor itself */
	bool *told; /* by slot of the parent */
	/* by slot: processor time of a worker that was free to use several, asked again at twice that */
	uint64_t *free_ns;
};

void mon_affinity_init(struct mon_affinity *mon_affinity, const struct workers *workers);
void mon_affinity_finish(struct mon_affinity *mon_affinity);
/*
 * Records a `bound` event about one of three or more workers, once per parent; its parent_slot is a
 * slot + 1, `siblings` counts the others, and `busy` is how long it ran or waited for that
 * processor.
 */
void mon_affinity_look(struct mon_affinity *mon_affinity, struct watchlog *log);
