/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Long waits without a proof: something could still end them, but has not for --hang-after.
 * Neighbours: deadlocks.h calls after each snapshot, telling.h records.
 */
#ifndef MPSAN_LONG_WAITS_H
#define MPSAN_LONG_WAITS_H

#include "deadlocks.h"

void long_waits_state(struct deadlocks *deadlocks, uint64_t now_ns);

#endif
