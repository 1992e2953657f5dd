/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The wait-for graph: which threads can go on, and which never will. Pure: nodes and edges are
 * numbers. A node that may go on by itself is open; any other goes on if those it waits for do.
 * Nodes that cannot be opened are dead: they wait only for dead nodes (the largest such set, for OR
 * and AND edges alike). Neighbour: waits.h makes the nodes.
 */
#ifndef MPSAN_GRAPH_H
#define MPSAN_GRAPH_H

#include "../rules/at_work.h"
#include "../waits/waits.h"

#define GRAPH_NONE UINT32_MAX

struct graph {
	const struct waits *waits;
	uint32_t count; /* of threads */
	bool *dead; /* by thread */
	enum at_work *help; /* by thread that is not dead: whom it can help */
	/* by thread: connected dead threads have the same number; else GRAPH_NONE */
	uint32_t *group;
	uint32_t *next; /* by thread: a dead owner or holder that it waits for; GRAPH_NONE: none */
	uint32_t *open; /* by process: threads that may go on */
	uint32_t *drivers; /* by process: of these, the CUDA driver's */
	uint64_t before_ns; /* waits that can end before count as open, see wait_ends_at */
	bool *handles; /* by process: a signal handler may run there, and send something */
	uint32_t *polls; /* by process: threads that poll: they may do more in between */
	bool job_is_open; /* a thread may go on that does not merely serve the others */
	bool by_work; /* solved for threads at work: the main one stands for its process */
	uint32_t *seen; /* scratch of graph_cycle: whether a thread was visited */
	uint32_t room;
};

/*
 * Determines the dead threads of the waits, and how they are connected: those whose wait can neither
 * succeed nor end before that time. UINT64_MAX: those that wait forever.
 */
void graph_solve(struct graph *graph, const struct waits *waits, uint64_t before_ns);
/*
 * The same for what comes of these threads, by thread, whatever the others may do: dead is who waits, in the end, for
 * none that is known to be at work. Groups are not determined.
 */
void graph_solve_work(struct graph *graph, const struct waits *waits, const enum at_work *work);
void graph_finish(struct graph *graph);

/*
 * A thread on the cycle of owners that `from` leads to; GRAPH_NONE: it leads to none. Following
 * `next` from there visits the cycle.
 */
uint32_t graph_cycle(const struct graph *graph, uint32_t from);

/*
 * Whether a group only waits to be signalled, handles SIGINT, and other threads of the job are
 * working: the program may intend to wait for the keyboard.
 */
bool graph_waits_for_keyboard(const struct graph *graph, uint32_t group);

#endif
