/* SPDX-License-Identifier: Apache-2.0 */
/* Why a rank will not come, behind "rank 2 ". Neighbours: ranks.h, stuck.h. */
#pragma once

#include "../waits/snapshot.h"

/*
 * "waits forever for an item of a queue.Queue (train.py:70)", by the main thread with that index, if it was
 * proved, or if a worker of its DataLoader is deadlocked and no other works. NULL: it may come. The caller frees
 * it.
 */
char *lost_dead(const struct snapshot *snapshot, uint32_t index, uint64_t since_ns);

/* "ended with status 1 (process 123)". The caller frees it. */
char *lost_end(const struct reader *reader, uint32_t slot);
