/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records what the ranks of a job do that has others elsewhere, so that a report of several sessions can say who
 * waits for whom. Neighbours: ranks.h; ../report/merge_ranks.h reads the records.
 */
#pragma once

#include "../waits/watchlog.h"
#include "ranks.h"

/* Records each rank whose state has changed: it waits since that time, goes on, will not come, or has ended. */
void rank_log(struct ranks *ranks, const struct snapshot *snapshot, uint64_t since_ns,
	      struct watchlog *log);
