/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What becomes of a recorded deadlock whose first waiter gives up, or is interrupted. Neighbours:
 * hopeless.h records such deadlocks, ../evidence/evidence_ends.h says what was seen.
 */
#ifndef MPSAN_DEADLOCK_ENDS_H
#define MPSAN_DEADLOCK_ENDS_H

#include "verdict.h"

/* Follows the waiter of a deadlock that was recorded at this position, if something ends its wait. */
void deadlock_ends_add(struct deadlocks *deadlocks, uint32_t index, uint64_t deadlock);

/* Records a `deadlock_over` event for each waiter that waits no more in this snapshot. */
void deadlock_ends_look(struct deadlocks *deadlocks);

#endif
