/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Detects workers that failed while their parent waits for another process only, or naps, or tests, in one place
 * for as long as a hang lasts. Neighbours: worker_table.h, waits.h; the rule worker-failed judges.
 */
#pragma once

#include "../../waitgraph/deadlocks.h"
#include "../../waits/watchlog.h"
#include "worker_table.h"

struct mon_failures {
	const struct workers *workers;
	const struct deadlocks *deadlocks;
	const struct waits *waits;
	uint64_t hang_after_ns; /* 0: naps do not count */
	bool *done; /* by slot: its end needs no further check */
};

void mon_failures_init(struct mon_failures *mon_failures, const struct workers *workers,
		       const struct deadlocks *deadlocks);
void mon_failures_finish(struct mon_failures *mon_failures);
/*
 * Records an `worker_failure` event about the parent's waiting thread; its worker_slot is a slot + 1.
 * Also records how unreaped processes ended.
 */
void mon_failures_look(struct mon_failures *mon_failures, struct watchlog *log);
