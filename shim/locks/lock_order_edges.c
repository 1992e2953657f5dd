/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lock-free table of recorded pairs. Open addressing with a bounded search; a removed pair
 * leaves a mark, so that searches continue behind it. Counters for groups of addresses let a lock
 * without pairs be destroyed without a search.
 */
#include "lock_order_edges.h"

#include <string.h>

#include "../intercept/hook.h"
#include "../record/state.h"

#define PROBES 96u
#define GROUPS 4096u

/* Values of `first` that are no lock. */
#define FREE 0ull
#define TAKEN_OUT 1ull
#define BUSY 2ull

static struct {
	uint32_t owner; /* slot + 1 of the process that the pairs belong to */
	uint32_t used;
	uint32_t told_full;
	uint32_t ever; /* pairs added so far, including removed ones */
	uint16_t group[GROUPS];
	struct pair at[PAIRS];
} table LARGE;

#define OWNER_BUSY UINT32_MAX

static uint64_t order_edges_mix(uint64_t value)
{
	value *= 0x9e3779b97f4a7c15ull;
	return value ^ value >> 29;
}

static uint32_t order_edges_place_of(const struct pair *pair)
{
	return (uint32_t)(order_edges_mix(order_edges_mix(pair->first ^ pair->gates) ^
					  pair->second) >>
			  32) %
	       PAIRS;
}

static uint16_t *group_of(uint64_t tag)
{
	return &table.group[(uint32_t)(order_edges_mix(MPSAN_TAG_ADDRESS(tag)) >> 32) % GROUPS];
}

/*
 * Whether the table is this process's own: the parent's pairs do not hold in a child, whose locks
 * differ.
 */
static bool order_edges_is_ours(void)
{
	uint32_t owner = __atomic_load_n(&table.owner, __ATOMIC_ACQUIRE), mine = life.slot + 1;

	if (LIKELY(owner == mine))
		return true;
	if (owner == OWNER_BUSY ||
	    !__atomic_compare_exchange_n(&table.owner, &owner, OWNER_BUSY, false, __ATOMIC_ACQUIRE,
					 __ATOMIC_RELAXED))
		return false;
	if (owner) {
		memset(table.at, 0, sizeof(table.at));
		memset(table.group, 0, sizeof(table.group));
		table.used = table.told_full = table.ever = 0;
	}
	__atomic_store_n(&table.owner, mine, __ATOMIC_RELEASE);
	return true;
}

/* After a look at the rest of a pair: it has not been replaced meanwhile. */
static bool is_still(const struct pair *p, uint64_t first)
{
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return __atomic_load_n(&p->first, __ATOMIC_RELAXED) == first;
}

static struct pair *order_edges_find(const struct pair *pair)
{
	uint32_t at = order_edges_place_of(pair);

	for (uint32_t i = 0; i < PROBES; i++, at = (at + 1) % PAIRS) {
		struct pair *p = &table.at[at];
		uint64_t first = __atomic_load_n(&p->first, __ATOMIC_ACQUIRE);

		if (first == FREE)
			return NULL;
		if (first == pair->first && p->second == pair->second && p->gates == pair->gates &&
		    is_still(p, first))
			return p;
	}
	return NULL;
}

static bool is_full(void)
{
	return __atomic_load_n(&table.used, __ATOMIC_RELAXED) >= PAIRS_MAX;
}

bool order_edges_has(const struct pair *pair)
{
	const struct pair *p = order_edges_is_ours() ? order_edges_find(pair) : NULL;
	uint32_t tid = p ? __atomic_load_n(&p->tid, __ATOMIC_RELAXED) : 0;

	if (UNLIKELY(!p))
		return table.told_full && is_full();
	return !tid || tid == pair->tid || tid == PAIR_QUIET;
}

static void order_edges_count(const struct pair *pair, uint16_t by)
{
	__atomic_fetch_add(group_of(pair->first), by, __ATOMIC_RELAXED);
	__atomic_fetch_add(group_of(pair->second), by, __ATOMIC_RELAXED);
}

static bool order_edges_put(struct pair *p, const struct pair *pair)
{
	uint64_t first = __atomic_load_n(&p->first, __ATOMIC_RELAXED);

	if ((first != FREE && first != TAKEN_OUT) ||
	    !__atomic_compare_exchange_n(&p->first, &first, BUSY, false, __ATOMIC_ACQUIRE,
					 __ATOMIC_RELAXED))
		return false;
	__atomic_thread_fence(__ATOMIC_RELEASE); /* who sees a change below sees that it is busy */
	order_edges_count(pair, 1);
	__atomic_fetch_add(&table.ever, pair->tid != PAIR_QUIET, __ATOMIC_RELAXED);
	__atomic_fetch_add(&table.used, 1, __ATOMIC_RELAXED);
	p->second = pair->second;
	p->tid = pair->tid;
	p->gates = pair->gates;
	__atomic_store_n(&p->first, pair->first, __ATOMIC_RELEASE);
	return true;
}

enum order_edges_news order_edges_add(const struct pair *pair)
{
	struct pair *p;
	uint32_t at = order_edges_place_of(pair), tid;

	if (!order_edges_is_ours())
		return PAIRS_OLD;
	p = order_edges_find(pair);
	if (p) { /* only another thread's until now */
		tid = __atomic_load_n(&p->tid, __ATOMIC_RELAXED);
		return tid && tid != pair->tid &&
				       __atomic_compare_exchange_n(&p->tid, &tid, 0, false,
								   __ATOMIC_RELAXED,
								   __ATOMIC_RELAXED) ?
			       PAIRS_NEW :
			       PAIRS_OLD;
	}
	if (is_full())
		return PAIRS_FULL;
	for (uint32_t i = 0; i < PROBES; i++, at = (at + 1) % PAIRS)
		if (order_edges_put(&table.at[at], pair))
			return PAIRS_NEW;
	return PAIRS_FULL;
}

static bool concerns(const struct pair *p, uint64_t first, uint64_t address)
{
	return first > BUSY &&
	       (MPSAN_TAG_ADDRESS(first) == address || MPSAN_TAG_ADDRESS(p->second) == address);
}

bool order_edges_forget(const void *lock)
{
	uint64_t address = (uint64_t)(uintptr_t)lock;
	bool some = false;

	if (LIKELY(!__atomic_load_n(group_of(address), __ATOMIC_RELAXED)) ||
	    table.owner != life.slot + 1)
		return false;
	for (uint32_t i = 0; i < PAIRS; i++) {
		struct pair *p = &table.at[i];
		uint64_t first = __atomic_load_n(&p->first, __ATOMIC_ACQUIRE);
		struct pair copy = *p;

		if (!concerns(p, first, address) ||
		    !__atomic_compare_exchange_n(&p->first, &first, TAKEN_OUT, false,
						 __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			continue;
		copy.first = first;
		order_edges_count(&copy, (uint16_t)-1);
		__atomic_fetch_sub(&table.used, 1, __ATOMIC_RELAXED);
		some = some || copy.tid != PAIR_QUIET;
	}
	return some;
}

bool order_edges_many(void)
{
	return __atomic_load_n(&table.ever, __ATOMIC_RELAXED) >= PAIRS_MANY;
}

bool order_edges_tell_full(void)
{
	return !__atomic_exchange_n(&table.told_full, 1, __ATOMIC_RELAXED);
}
