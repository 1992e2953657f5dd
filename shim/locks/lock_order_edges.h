/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pairs of locks whose order was stated: a fixed table, without a lock. Two threads may state
 * the same pair at the same time; that does no harm. A forked child begins with an empty one.
 * Neighbour: lock_order.c.
 */
#ifndef MPSAN_LOCK_ORDER_EDGES_H
#define MPSAN_LOCK_ORDER_EDGES_H

#include <stdbool.h>
#include <stdint.h>

#define PAIRS 8192u
#define PAIRS_MAX (PAIRS / 4 * 3) /* more would make each look-up long */

/* What tells one order from another. The upper bits of `second` beyond its kind are free for marks. */
struct pair {
	uint64_t first; /* MPSAN_TAG without its flags */
	uint64_t second;
	uint32_t tid; /* who took them so; 0: several threads; PAIR_QUIET */
	uint32_t gates; /* a hash of what else was held */
};

#define PAIR_TRIED (1ull << 55) /* the second was taken by a try form */
#define PAIR_UNSURE (1ull << 56) /* a semaphore of which it is not known yet whether it is a lock */
#define PAIR_PATH (1ull << 57) /* stands for all locks of which that is not known, at one place */

/* As a TID: looked at and not stated, so that nobody looks again. */
#define PAIR_QUIET UINT32_MAX

/*
 * Whether there is nothing to do about this pair: it was stated by this thread or by two others,
 * or it is to be kept quiet, or there is no room, and that was told.
 */
bool order_edges_has(const struct pair *pair);

enum order_edges_news { PAIRS_OLD, PAIRS_NEW, PAIRS_FULL };
enum order_edges_news order_edges_add(const struct pair *pair);

/* Takes out all pairs with a lock: true when some were stated. Costs one load when there are none. */
bool order_edges_forget(const void *lock);

/* Whether this process has had so many pairs that it makes locks all the time. */
#define PAIRS_MANY 2048u
bool order_edges_many(void);

/* Once in a process: that the table is full has to be told. */
bool order_edges_tell_full(void);

#endif
