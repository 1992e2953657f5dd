/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Long waits without a proof: something could still end them, but has not for --hang-after.
 * Neighbours: deadlocks.h calls after each snapshot, verdict.h records.
 */
#pragma once

#include "deadlocks.h"

/*
 * Marks the waits that somebody at work could end (wait.is_helped), which rest since then: it runs, or what it does is
 * out of sight, or it pauses until a known time. Who only ticks is none.
 */
void long_waits_find_helped(struct deadlocks *deadlocks, uint64_t since_ns);

void long_waits_state(struct deadlocks *deadlocks, uint64_t now_ns);
