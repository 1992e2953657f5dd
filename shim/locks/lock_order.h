/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records the order in which locks are taken, only with lock-order=yes. The hooks do not know of
 * it: lock_order_start inserts functions between them and the real ones, which look at what the
 * thread already holds and record each new pair once. lock_order_edges.h keeps the recorded pairs,
 * the rule lock-order-inversion judges them.
 */
#pragma once

void lock_order_start(void);
