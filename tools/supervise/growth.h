/*
 * Memory that forked workers copied, counted from outside: for workers that cannot say it themselves at their
 * end. Neighbours: crowd.h; shim/common/pages.h does the sums, as in the library; the rule cow-growth judges.
 */
#ifndef MPSAN_GROWTH_H
#define MPSAN_GROWTH_H

#include "crowd.h"
#include "../waitgraph/watchlog.h"

/* One worker that inherited enough. Bytes of memory that is of no file. */
struct growth_child {
	uint32_t slot;
	uint32_t maker; /* slot of who forked it, be that a fork server */
	uint64_t inherited; /* at most so much */
	uint64_t copied, resident; /* at the last count */
	uint64_t before; /* copied by the count before that: the last one may have seen it end */
	uint64_t first_ns, last_ns;
};

struct growth {
	const struct crowd *crowd;
	ARRAY(struct growth_child) children;
	bool *known; /* by slot */
	uint32_t turn; /* whose turn it is to be counted */
	uint64_t next_ns; /* a count takes long where there is much memory */
};

void growth_init(struct growth *growth, const struct crowd *crowd);
void growth_look(struct growth *growth);
/* States what was counted of those that did not do so themselves. */
void growth_finish(struct growth *growth, struct watchlog *log);

#endif
