/*
 * The wait-for graph: who can go on, and who never will. Pure: it knows nodes and edges by number.
 * A node that may go on by itself is open; any other goes on when those it waits for do. What is
 * left when nothing more can be opened is dead: it waits only for the dead (for OR and AND edges
 * alike this is the largest such set). Neighbour: waits.h makes the nodes.
 */
#ifndef MPSAN_GRAPH_H
#define MPSAN_GRAPH_H

#include "waits.h"

#define GRAPH_NONE UINT32_MAX

struct graph {
	const struct waits *waits;
	uint32_t count; /* of threads */
	bool *dead; /* by thread */
	uint32_t *group; /* by thread: the dead that hang together have the same; else GRAPH_NONE */
	uint32_t *next; /* by thread: a dead owner, or mere holder, it waits for, GRAPH_NONE */
	uint32_t *open; /* by process: threads that may go on */
	bool job_is_open; /* some thread may go on, that does not merely serve the others */
	uint32_t *seen; /* scratch of graph_cycle: round in which a thread was passed */
	uint32_t room;
};

/* Which threads of the waits are dead, and how they hang together. */
void graph_solve(struct graph *graph, const struct waits *waits);
void graph_finish(struct graph *graph);

/*
 * A thread on the circle of owners that `from` leads to, GRAPH_NONE: it leads to none. Going along
 * `next` from there visits the circle.
 */
uint32_t graph_cycle(const struct graph *graph, uint32_t from);

/*
 * Threads that only wait to be signalled, with a handler for SIGINT, in a job in which others are at
 * work: the program may well have meant to wait for the keyboard.
 */
bool graph_waits_for_keyboard(const struct graph *graph, uint32_t group);

#endif
