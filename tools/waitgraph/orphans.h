/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processes whose parent has ended. Anything that others could have sent them, such as a message, a
 * semaphore post or a pipe's end, might have been the parent's task, so missing it is a consequence
 * of that end and no deadlock; parent-lost and child-not-joined report such processes if they stay.
 * Waits for private objects, or for living owners, are not affected. Neighbours: graph.h,
 * deadlocks.h, ../facts/processes.h.
 */
#pragma once

#include "graph.h"

/*
 * Whether the parent of a process, or an earlier ancestor, has ended, and its job was meant to end
 * with it. Checks anew.
 */
bool was_orphaned(const struct reader *reader, uint32_t slot);

/*
 * The child that failed about when this thread, a loop of events which has its status, came to rest, or that
 * orphans_fifo_lacks() names: that was to wake it, perhaps. FACT_NONE: there is none, or another child lives.
 */
uint32_t orphans_wait_lacks(const struct waits *waits, uint32_t thread);

/* The same for the head of a job at rest, or a thread of it that waits for a FIFO: then the child's parent becomes the head. */
uint32_t orphans_job_lacks(const struct waits *waits, uint32_t *head);

/* Of a thread that waits for a FIFO: the job in the background of its shell, or of the one that started it. */
uint32_t orphans_fifo_lacks(const struct snapshot *snapshot, const struct snapshot_thread *thread);

/* The child, of a thread that came to nap, again and again, before, or about when, the child failed. */
uint32_t orphans_nap_lacks(const struct snapshot *snapshot, const struct snapshot_thread *thread);

/* Whether a dead group is explained by the end of a process that could have helped it. */
bool orphans_explain_group(const struct graph *graph, uint32_t group);

/*
 * Whether that explains the cycle of owners through `thread`; living owners prove a cycle, whatever
 * else has ended.
 */
bool orphans_explains_cycle(const struct graph *graph, uint32_t thread);

/* Whether that explains a wait for what a dead process owned. */
bool orphans_explains_loss(const struct graph *graph, uint32_t thread, uint32_t dead_slot);
