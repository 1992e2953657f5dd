/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that tick beside others that wait: telemetry, heartbeats. One that read from a pipe, or
 * released the lock of a dead process, would do so when it wakes up. Neighbours: solve.h and
 * dead_owners.h call, bystanders.h asks the interpreter.
 */
#ifndef MPSAN_TICKERS_H
#define MPSAN_TICKERS_H

#include "graph.h"

/*
 * Sets them apart from the wait of a writer (wait.apart) when they have woken up several times while
 * not a byte was read. Returns whether there are any: the graph has to be solved again.
 */
bool tickers_find(const struct graph *graph, struct waits *waits);

/* Whether nobody else goes on who could end the wait, all that time. */
bool tickers_alone_go_on(const struct graph *graph, struct waits *waits, uint32_t index,
			 uint64_t passed_ns);

#endif
