/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waits for what a dead process owned: a process-shared lock that will not be released, a wakeup
 * that will not be confirmed, a pool's task that died with its worker. Neighbours: cross_process.h
 * draws the conclusions, deadlocks.h records them.
 */
#pragma once

#include "graph.h"

struct dead_owner {
	enum mpsan_deadlock_cause cause;
	uint32_t thread; /* the waiter, in the snapshot */
	bool proof;
	uint32_t dead_slot; /* SNAPSHOT_NONE: no process, but a thread of the waiter's own */
	uint64_t taken; /* return address of the dead owner's call; 0: unknown */
	bool handled; /* a signal handler could end the wait */
	const char *detail; /* constant text; NULL: nothing to add */
};

struct dead_owners {
	uint64_t pools_ns; /* the snapshot whose pools were examined last */
	uint64_t pools_due_ns; /* when pools are examined next */
	uint64_t hang_after_ns; /* who sleeps so long may poll for a lost result; 0: never */
	int64_t oom_kills; /* of the control group when the session began; -1: unknown */
};

void dead_owners_init(struct dead_owners *dead_owners);

/* Calls `see` for each such wait in the snapshot of `waits` that was not reported yet. */
void dead_owners_find(struct dead_owners *dead_owners, const struct graph *graph,
		      struct waits *waits,
		      void (*see)(const struct dead_owner *dead_owner, void *context),
		      void *context);
