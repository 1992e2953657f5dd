/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pairs of locks whose order was recorded: a fixed table without a lock. Two threads may record
 * the same pair at the same time, which is harmless. A forked child starts with an empty table. See
 * lock_order.c.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define PAIRS 8192u
#define PAIRS_MAX (PAIRS / 4 * 3) /* more would make each look-up long */

/* What identifies an order. The upper bits of `second` beyond its kind are free for flags. */
struct pair {
	uint64_t first; /* MPSAN_TAG without its flags */
	uint64_t second;
	uint32_t tid; /* the thread that took them so; 0: several threads; PAIR_QUIET */
	uint32_t gates; /* a hash of the other locks held */
};

#define PAIR_TRIED (1ull << 55) /* the second was taken by a try call */
#define PAIR_UNSURE (1ull << 56) /* a semaphore that is not known to be a lock yet */
#define PAIR_PATH (1ull << 57) /* stands for all such locks of one call site */

/* As a TID: examined and ignored from now on. */
#define PAIR_QUIET UINT32_MAX

/*
 * Whether nothing has to be recorded for this pair: this thread or two others did so already, it is
 * ignored, or the table is full and that was recorded.
 */
bool order_edges_has(const struct pair *pair);

enum order_edges_news { PAIRS_OLD, PAIRS_NEW, PAIRS_FULL };
enum order_edges_news order_edges_add(const struct pair *pair);

/* Removes all pairs with a lock: true if some were recorded. Costs one load if there are none. */
bool order_edges_forget(const void *lock);

/* Whether this process had so many pairs that it must be creating locks all the time. */
#define PAIRS_MANY 2048u
bool order_edges_many(void);

/* True once per process, when it has to be recorded that the table is full. */
bool order_edges_tell_full(void);
