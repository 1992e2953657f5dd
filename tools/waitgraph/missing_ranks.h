/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranks of torch.distributed that wait for others, one of which seems to have ended. They ask the
 * store again and again, and its server answers, so their job never rests.
 */
#ifndef MPSAN_MISSING_RANKS_H
#define MPSAN_MISSING_RANKS_H

#include "deadlocks.h"

/* Records, as a long wait, each that has waited at one place of its program since then. */
void missing_ranks_state(struct deadlocks *deadlocks, uint64_t since_ns);

#endif
