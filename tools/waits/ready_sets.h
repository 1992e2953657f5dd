/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What threads that wait for one of several descriptors could be woken by, cached while they do not
 * run: to read a set takes a call or more for each descriptor. One that somebody unknown could wake is
 * read again after a while, any other before a verdict. Neighbours: ready_ends.h reads, wakers.h has
 * the cache.
 */
#pragma once

#include "../proc/ready_ends.h"
#include "snapshot.h"

struct ready_set {
	uint32_t tid;
	uint64_t still_ns; /* of the thread */
	uint64_t read_ns, used_ns;
	bool open; /* somebody unknown could wake it */
	uint64_t due_ns; /* when an open one is read again */
	struct ready_ends ends;
	uint64_t timer_ns, timer_read_ns; /* as of ready_sets_timer_ns, and when it was asked */
};

struct ready_sets {
	ARRAY(struct ready_set) item;
};

/* The set of the call that the thread waits in. */
const struct ready_set *ready_sets_find(struct ready_sets *sets, const struct snapshot *snapshot,
					const struct snapshot_thread *thread);
/* When the first timerfd is due that ends the call, by the time of snapshots; 0: there is none. */
uint64_t ready_sets_timer_ns(struct ready_sets *sets, const struct snapshot *snapshot,
			     const struct snapshot_thread *thread);
/* Has sets read again that are older than that. */
void ready_sets_refresh(struct ready_sets *sets, uint64_t now_ns);
void ready_sets_free(struct ready_sets *sets);
