/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which ranks of a job wait in vain: each needs others, and none of those will ever come. Pure.
 * Neighbours: collective.h says in what a rank is, ranks.h looks at processes.
 */
#pragma once

#include <stdint.h>

#include "collective.h"

enum rank_state {
	RANK_OPEN, /* it runs, or waits for something that may come */
	RANK_WAITS, /* in a collective */
	RANK_DEAD, /* its wait for something else was proved to be endless */
	RANK_ENDED,
	RANK_MISSING, /* no process has this number */
};

struct stuck_rank {
	uint32_t number;
	enum rank_state state;
	const struct collective *in; /* of RANK_WAITS */
	const uint32_t *needs; /* the ranks that must take part; NULL: all */
	uint32_t needs_count;
	const char *what; /* of the last three, behind "rank 2 ": "ended (exit status 1)" */
	/* Set by stuck_find. */
	bool stuck; /* it waits, and none of those that it needs is open */
	bool lacked; /* one that is stuck needs this one, which will never come */
};

/*
 * `ranks`: in the order of their numbers, each once. A rank of the job's `world` that is not among them is open.
 * Returns how many are stuck; 0 if they all wait at one place, since they wait for the network there, unless they all
 * receive and so none sends.
 */
uint32_t stuck_find(struct stuck_rank *ranks, uint32_t count, uint32_t world);

/* Whether one is lacked, and those that wait are known to need it: no group is unknown. */
bool stuck_is_certain(const struct stuck_rank *ranks, uint32_t count);

/*
 * "ranks 0, 1 and 3 wait in all_reduce (train.py:88); rank 2 ended (exit status 1)": the largest group
 * first. The caller frees it.
 */
char *stuck_text(const struct stuck_rank *ranks, uint32_t count);
