/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table of address ranges for concurrent writers and readers: no lock, no allocation, a fixed
 * size, in memory that the caller provides (private, or a file that processes share).
 *
 * A range is found by any address in it. It is filed under the number of the block of 2^n bytes in
 * which it starts, n being the smallest power that holds it. So an address lies in a range of that
 * size only if the range starts in the address's own block or in the one before. A block's number
 * selects three buckets of RANGES_BUCKET places. The first one is shared with the blocks beside it, so
 * that numbers that follow each other, as those of files and mappings mostly do, write few pages. Once
 * it is more than half full, a new range goes into the emptiest (power of choices). A look-up thus
 * costs a few cache lines for each size in use, whatever the number of ranges.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define RANGES_BUCKET 16u

/* The first members of every place of a table. */
struct range {
	uint32_t state; /* odd while it can be found; incremented at every change */
	uint32_t owner; /* whose address space: a slot of the session; 0 in a private table */
	uint64_t start, bytes;
};

/*
 * Head of a table, RANGES_HEAD bytes. The tags (4 bytes for each place, 0: free) and then the
 * places follow it.
 */
#define RANGES_HEAD 64u
struct ranges {
	uint64_t places; /* a power of two */
	uint64_t place_bytes;
	uint64_t levels; /* bit n: there is, or was, a range that n belongs to */
	uint64_t used; /* places in use */
	uint64_t full; /* ranges that did not fit */
	uint64_t tidy; /* 1: no range is, or was, in another bucket than its first */
};

/*
 * Size of a table in bytes. `places`: a power of two, at least RANGES_BUCKET; `place_bytes`: whole
 * 8-byte words.
 */
uint64_t ranges_bytes(uint64_t places, uint64_t place_bytes);
/* Initialises a table; the memory must be zero and start on a cache line. */
void ranges_init(struct ranges *table, uint64_t places, uint64_t place_bytes);

/*
 * Reserves a place for a new range and fills in its `struct range`; the caller fills in the rest
 * and publishes it. No reader finds it before. NULL: no room, which is counted.
 */
void *ranges_claim(struct ranges *table, uint32_t owner, uint64_t start, uint64_t bytes);
void ranges_publish(void *place);

/*
 * Finds the range that contains the address, or an empty one that starts there, and copies a
 * consistent state of it (place_bytes) to `copy`. NULL: none. The place stays valid memory, but may
 * be reused: check with ranges_same.
 */
void *ranges_find(struct ranges *table, uint32_t owner, uint64_t address, void *copy);
bool ranges_same(const void *place, const void *copy);

/*
 * Removes a range if it still is the copied one; false if another writer removed it first. A writer
 * that is killed between claim and publish leaves one place unused for good.
 */
bool ranges_drop(struct ranges *table, void *place, const void *copy);
/*
 * ranges_drop in two steps: after ranges_hide no reader finds the range, after ranges_free its
 * place may be reused.
 */
bool ranges_hide(void *place, const void *copy);
void ranges_free(struct ranges *table, const void *place);

/* Iterates over the places in use: `at` starts as 0. NULL: no more. */
void *ranges_next(struct ranges *table, uint64_t *at, void *copy);
