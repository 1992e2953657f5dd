/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that tick beside a full pipe: telemetry, heartbeats. One that read from it would most likely
 * do so when it wakes up. Neighbours: solve.h calls.
 */
#ifndef MPSAN_TICKERS_H
#define MPSAN_TICKERS_H

#include "graph.h"

/*
 * Sets them apart from the wait of a writer (wait.apart) when they have woken up several times while
 * not a byte was read: then a finding is a warning (MPSAN_LF_DOUBT). Returns whether there are any: the graph has to be solved again.
 */
bool tickers_find(const struct graph *graph, struct waits *waits);

#endif
