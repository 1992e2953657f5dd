/*
 * Whether the threads of a dead end were meant to wait until they are interrupted: what the rule in
 * tools/rules/parked.h asks, found in memory, records and Python's frames. Neighbours: deadlocks.h asks,
 * graph.h found the dead end.
 */
#ifndef MPSAN_IDLE_H
#define MPSAN_IDLE_H

#include "graph.h"

/*
 * For a group of the graph. Dear (Python's frames are read, pipes looked up), so a group that was found to be idle is
 * marked (snapshot_thread.idle) and asked again only when one of its threads has moved, or another has come to it.
 */
bool idle_is_meant(const struct graph *graph, uint32_t group);

/* Whether all threads of the group are marked so. */
bool idle_is_known(const struct graph *graph, uint32_t group);

#endif
