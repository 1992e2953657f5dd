/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The wait-for graph of a snapshot: its waits as the tables of a job, and their solution. Neighbours: waits.h says who
 * could end each wait, job.h solves.
 */
#pragma once

#include "../job/job.h"
#include "../waits/waits.h"

struct graph {
	const struct waits *waits;
	struct job job; /* its threads and processes are those of the snapshot, in the same order */
	struct job_solution solved;
	uint64_t before_ns; /* waits that can end before count as open, see wait_ends_at */
};

/* See job_solve and job_solve_work. */
void graph_solve(struct graph *graph, const struct waits *waits, uint64_t before_ns);
void graph_solve_work(struct graph *graph, const struct waits *waits, const enum at_work *work);
void graph_finish(struct graph *graph);

/* Whether a thread goes on by itself before the time for which the graph was solved, not because another one helps it. */
bool graph_goes_on(const struct graph *graph, uint32_t thread);
/* Whether a wait that could end by threads of these processes only is kept open by one that goes on. */
bool graph_is_kept_open(const struct graph *graph, uint32_t thread);

/*
 * Whether a group only waits to be signalled, handles SIGINT, and other threads of the job are
 * working: the program may intend to wait for the keyboard.
 */
bool graph_waits_for_keyboard(const struct graph *graph, uint32_t group);
