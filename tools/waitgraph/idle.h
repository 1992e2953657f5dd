/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether the threads of a dead group are meant to wait until they are interrupted: collects what
 * the rule in tools/rules/parked.h needs from memory, records and Python frames. Neighbours:
 * deadlocks.h calls, graph.h found the group.
 */
#pragma once

#include "graph.h"

/*
 * For a group of the graph. Expensive (reads Python frames, looks up pipes), so an idle group is
 * marked (in the ledger), and examined again only when one of its threads has moved, or another has joined it.
 */
bool idle_is_meant(const struct graph *graph, uint32_t group);

/*
 * The same for a job at rest, without a proof: threads that sleep or serve somebody outside count as
 * idle. `head`: the thread that the story begins with; `has_keyboard`: as parked_has_keyboard. As expensive, and
 * nothing is marked.
 */
bool idle_job_is_meant(const struct graph *graph, struct shared *shared, uint32_t *head,
		       bool *has_keyboard);

/* Whether all threads of the group are marked. */
bool idle_is_known(const struct graph *graph, uint32_t group);

/* idle_ended.c: whether nothing is left of its process but this main thread, beside which others have ended. */
bool idle_is_left(const struct graph *graph, uint32_t index);
