/*
 * A table of address ranges for many writers and readers at once: no lock, no allocation, a size that
 * is fixed when it is made, in memory that the caller gives (private, or a file that processes share).
 *
 * A range is found by any address in it. It stands under the number of the block of 2^n bytes in
 * which it begins, n being the smallest power that holds it, so an address lies in a range of that
 * size only if the range begins in the address's own block or in the one before. A block's number
 * gives two buckets of RANGES_BUCKET places, and a new range goes into the emptier one (power of two
 * choices). A look-up thus costs a few cache lines for each size that is in use, whatever the
 * number of ranges.
 */
#ifndef MPSAN_RANGES_H
#define MPSAN_RANGES_H

#include <stdbool.h>
#include <stdint.h>

#define RANGES_BUCKET 16u

/* What every place of a table begins with. */
struct range {
	uint32_t state; /* odd while it can be found; raised at every change */
	uint32_t owner; /* whose address space: a slot of the session; 0 in a private table */
	uint64_t start, bytes;
};

/*
 * Head of a table, RANGES_HEAD bytes; tags (4 bytes for each place, 0: free), then the places follow
 * it in memory.
 */
#define RANGES_HEAD 64u
struct ranges {
	uint64_t places; /* a power of two */
	uint64_t place_bytes;
	uint64_t levels; /* bit n: there is, or was, a range that n belongs to */
	uint64_t used; /* places in use */
	uint64_t full; /* ranges that found no room */
};

/* `places`: a power of two, RANGES_BUCKET at least; `place_bytes`: whole 8-byte words. */
uint64_t ranges_bytes(uint64_t places, uint64_t place_bytes);
/* The memory must be zero and begin on a cache line. */
void ranges_init(struct ranges *table, uint64_t places, uint64_t place_bytes);

/*
 * A place for a new range, its `struct range` filled in, to be filled and then published. NULL: no
 * room (counted). Nobody finds it before it is published.
 */
void *ranges_claim(struct ranges *table, uint32_t owner, uint64_t start, uint64_t bytes);
void ranges_publish(void *place);

/*
 * The range that contains the address, or begins there when it is empty; `copy` (place_bytes)
 * receives what it held at one moment. NULL: none. The place stays valid memory, but may become
 * another's: check with ranges_same.
 */
void *ranges_find(struct ranges *table, uint32_t owner, uint64_t address, void *copy);
bool ranges_same(const void *place, const void *copy);

/*
 * Takes it out, if it is still the one that was copied; false when somebody else was faster. A
 * writer that is killed between claim and publish leaves one place unused for good.
 */
bool ranges_drop(struct ranges *table, void *place, const void *copy);
/* Its two halves: from the first on nobody finds it, from the second on its place is free. */
bool ranges_hide(void *place, const void *copy);
void ranges_free(struct ranges *table, const void *place);

/* The places in use, one after the other: `at` begins as 0. NULL: no more. */
void *ranges_next(struct ranges *table, uint64_t *at, void *copy);

#endif
