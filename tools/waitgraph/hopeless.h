/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waits that cannot succeed, although something will end them: a time limit, an alarm, a signal
 * handler. Everything that could make one succeed is itself blocked, directly or indirectly, at least until it ends.
 * Neighbour: deadlocks.h, for waits that nothing ends.
 */
#pragma once

#include "deadlocks.h"

/* Finds and records them, after the deadlocks of the same snapshot. */
void hopeless_find(struct deadlocks *deadlocks,
		   void (*see_loss)(const struct dead_owner *dead_owner, void *context));

/*
 * Whether a wait with a time limit is a pause: it is for something that is sent, after which the thread goes on and helps
 * others, as a timer, a heartbeat, or a worker that retires. Only a main thread that nobody waits for is taken for one
 * that wants what it waits for, and a watchdog for what it is.
 */
bool hopeless_is_pause(struct deadlocks *deadlocks, uint32_t index);

/* Follows the waiter of a deadlock that was recorded at this position, if something ends its wait. */
void hopeless_follow(struct deadlocks *deadlocks, uint32_t index, uint64_t deadlock);

/* Records a `deadlock_over` event for each waiter followed that waits no more in this snapshot. */
void hopeless_look_ends(struct deadlocks *deadlocks);
