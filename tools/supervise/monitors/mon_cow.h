/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts, from outside, memory that forked workers copied, for workers that do not count it
 * themselves when they exit. Neighbours: worker_table.h; shim/common/pages.h computes the sums, as
 * in the library; the rule cow-growth judges.
 */
#pragma once

#include "../../waits/watchlog.h"
#include "worker_table.h"

/* A worker that inherited enough. Sizes are bytes of anonymous memory. */
struct mon_cow_child {
	uint32_t slot;
	uint32_t maker; /* slot of the process that forked it, possibly a fork server */
	uint64_t inherited; /* upper bound */
	uint64_t copied, resident; /* at the last count */
	uint64_t before; /* by the previous count: the last one may have happened during its exit */
	uint64_t first_ns, last_ns;
};

struct mon_cow {
	const struct workers *workers;
	ARRAY(struct mon_cow_child) children;
	bool *known; /* by slot */
	uint32_t turn; /* next one to count */
	uint64_t next_ns; /* when to count next: counting is slow for large processes */
};

void mon_cow_init(struct mon_cow *mon_cow, const struct workers *workers);
void mon_cow_look(struct mon_cow *mon_cow);
/* Records the counts of workers that did not record them themselves. */
void mon_cow_finish(struct mon_cow *mon_cow, struct watchlog *log);
