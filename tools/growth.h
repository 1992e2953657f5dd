/*
 * Memory of forked workers that stopped to be shared with their parent, seen from outside: for workers that
 * cannot say it themselves at their end. Neighbours: crowd.h; the rule cow-growth judges.
 */
#ifndef MPSAN_GROWTH_H
#define MPSAN_GROWTH_H

#include "crowd.h"
#include "watchlog.h"

/* One worker that inherited enough. Its memory is counted in bytes without that of files. */
struct growth_child {
	uint32_t slot, parent;
	uint64_t inherited; /* what both had when it was first seen; 0: not enough */
	uint64_t parents; /* what its parent had then */
	uint64_t copied, resident; /* at the last count */
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
