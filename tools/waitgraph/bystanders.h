/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that can go on but end nobody's wait: Python threads that sleep or tick, and have no
 * reference to what others wait for. Neighbours: solve.h calls, ../symbols/pyowned.h counts
 * references.
 */
#ifndef MPSAN_BYSTANDERS_H
#define MPSAN_BYSTANDERS_H

#include "graph.h"

/*
 * Sets those apart from the waits (wait.apart) that they cannot end. Returns whether there are any:
 * the graph has to be solved again.
 */
bool bystanders_find(const struct graph *graph, struct waits *waits);

#endif
