/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes a deadlock to the supervisor's log: a `blocked` event for each thread, then the `deadlock`. Neighbours:
 * deadlocks.h finds them, watchlog.h writes.
 */
#pragma once

#include "../waits/ledger.h"
#include "deadlocks.h"

#define VERDICT_MAX 256u /* threads recorded per deadlock, of which */
#define VERDICT_FEW \
	24u /* so many of any kind, and the others main threads; or so many in all in a log that is half full */

struct verdict {
	uint64_t first; /* position of its first thread */
	uint32_t count;
	uint32_t slot, tid; /* of that one */
	uint64_t ends; /* what ends its wait: enum mpsan_wait_ends */
};

static inline struct snapshot_thread *deadlocks_thread(struct deadlocks *deadlocks, uint32_t index)
{
	return &deadlocks->snapshot.threads.item[index];
}

static inline struct ledger_entry *deadlocks_entry(const struct deadlocks *deadlocks,
						   uint32_t index)
{
	return ledger_of(&deadlocks->snapshot, index);
}

static inline bool deadlocks_told(const struct deadlocks *deadlocks, uint32_t index)
{
	return ledger_is_told(&deadlocks->snapshot, index);
}

/* What is known of a blocked thread; its texts are written at once. */
struct ev_blocked verdict_describe(struct deadlocks *deadlocks, uint32_t index, uint64_t flags);
/* Whether it takes no more threads. */
bool verdict_is_full(const struct deadlocks *deadlocks, const struct verdict *verdict);
/* Records a thread that was described before. */
void verdict_put(struct deadlocks *deadlocks, struct verdict *verdict, uint32_t slot, uint32_t tid,
		 const struct ev_blocked *event);
/* Records a thread of the snapshot with these further flags, and marks it as told, or leaves it open to a proof. */
void verdict_add(struct deadlocks *deadlocks, struct verdict *verdict, uint32_t index,
		 uint64_t flags);
void verdict_add_open(struct deadlocks *deadlocks, struct verdict *verdict, uint32_t index,
		      uint64_t flags);
/* Whether it belongs to a helper of multiprocessing or torch, which only waits to be asked. */
bool verdict_leaves_out(struct deadlocks *deadlocks, uint32_t index);
/* Records the rest of a group of the graph, threads that wait for an end first, without helpers. */
void verdict_add_group(struct deadlocks *deadlocks, struct verdict *verdict, uint32_t group);
/*
 * Records the deadlock of the threads that were added; returns its position, 0 if it was lost.
 * `detail`: NULL or a text.
 */
uint64_t verdict_close(struct deadlocks *deadlocks, const struct verdict *verdict,
		       enum mpsan_deadlock_cause cause, uint32_t dead_slot, const char *detail);

/* The slot + 1 of the process of a dead owner, if that has ended as well; 0: it has not. */
uint32_t verdict_dead_process(const struct deadlocks *deadlocks, uint32_t waiter);
/* Whether one of the group has been told already, with any proof. */
bool verdict_told_group(struct deadlocks *deadlocks, uint32_t group);
