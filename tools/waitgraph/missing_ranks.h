/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranks of torch.distributed that wait in collectives for others that will not come: those wait in different
 * collectives, have ended, or are deadlocked themselves. Neighbours: ../ranks/ranks.h, ../ranks/stuck.h.
 */
#pragma once

#include "deadlocks.h"

/* Records the ranks of each job that wait in vain, once, in the current snapshot. */
void missing_ranks_state(struct deadlocks *deadlocks);
