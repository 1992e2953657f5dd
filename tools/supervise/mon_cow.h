/*
 * Memory that forked workers copied, counted from outside: for workers that cannot say it themselves at their
 * end. Neighbours: worker table.h; shim/common/pages.h does the sums, as in the library; the rule cow-growth judges.
 */
#ifndef MPSAN_MON_COW_H
#define MPSAN_MON_COW_H

#include "../waitgraph/watchlog.h"
#include "worker_table.h"

/* One worker that inherited enough. Bytes of memory that is of no file. */
struct mon_cow_child {
	uint32_t slot;
	uint32_t maker; /* slot of who forked it, be that a fork server */
	uint64_t inherited; /* at most so much */
	uint64_t copied, resident; /* at the last count */
	uint64_t before; /* copied by the count before that: the last one may have seen it end */
	uint64_t first_ns, last_ns;
};

struct mon_cow {
	const struct workers *workers;
	ARRAY(struct mon_cow_child) children;
	bool *known; /* by slot */
	uint32_t turn; /* whose turn it is to be counted */
	uint64_t next_ns; /* a count takes long where there is much memory */
};

void mon_cow_init(struct mon_cow *mon_cow, const struct workers *workers);
void mon_cow_look(struct mon_cow *mon_cow);
/* States what was counted of those that did not do so themselves. */
void mon_cow_finish(struct mon_cow *mon_cow, struct watchlog *log);

#endif
