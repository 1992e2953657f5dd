/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Solves the graph of a snapshot with cached answers first, and asks again before a verdict.
 * Neighbours: graph.h solves, waits.h asks, deadlocks.h and hopeless.h conclude.
 */
#pragma once

#include "deadlocks.h"

/*
 * Solves for waits that do not end before that time (graph_solve). The checks are made while
 * `has_news` says that there is something new to conclude.
 */
void solve(struct deadlocks *deadlocks, uint64_t before_ns,
	   bool (*has_news)(struct deadlocks *deadlocks));

/*
 * Whether a thread, or one of a group, woke up or exits since its run count was read; of waiters for the GIL and polling
 * threads, which always do, it is false.
 */
bool solve_thread_moves(struct deadlocks *deadlocks, uint32_t index);
bool solve_group_moves(struct deadlocks *deadlocks, uint32_t group);
