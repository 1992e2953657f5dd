/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lock-free table of ranges. A tag is 4 bytes of the hash of a range's owner, size and block.
 * The tags of a bucket fill one cache line, and the writer that changes a tag from 0 owns the
 * place. A place is valid while its state is odd; readers check the state before and after they
 * copy it.
 */
#include "ranges.h"

#include <stddef.h>

#define NO_PLACE UINT64_MAX

#define BLOCKS_NEAR 8u /* share a first bucket */
#define BUCKETS_NEAR 64u /* lie side by side, for the blocks that follow each other */

/* The buckets for the ranges of one owner, size and block. */
#define CHOICES 3u
struct spot {
	uint64_t bucket[CHOICES];
	uint32_t tag;
};

static uint64_t ranges_mix(uint64_t hash, uint64_t more)
{
	hash = (hash ^ more) * 0x9e3779b97f4a7c15ull;
	return hash ^ hash >> 29;
}

static struct spot spot_of(const struct ranges *table, uint32_t owner, unsigned level,
			   uint64_t block)
{
	uint64_t kind = ranges_mix(owner + 1ull, level), near = block / BLOCKS_NEAR,
		 hash = ranges_mix(ranges_mix(kind, block), 0x6d70), buckets;

	buckets = table->places / RANGES_BUCKET;
	buckets += !buckets; /* the file was cut short */
	near = ranges_mix(ranges_mix(kind, near / BUCKETS_NEAR), 0x6d71) * BUCKETS_NEAR +
	       near % BUCKETS_NEAR;
	return (struct spot){.bucket = {near & (buckets - 1), hash & (buckets - 1),
					(hash >> 40) & (buckets - 1)},
			     .tag = (uint32_t)(ranges_mix(hash, 1) >> 32) | 1};
}

/* The smallest n with 2^n >= bytes. */
static unsigned level_of(uint64_t bytes)
{
	return bytes <= 1 ? 0 : 64 - (unsigned)__builtin_clzll(bytes - 1);
}

static uint32_t *tags_of(struct ranges *table)
{
	return (uint32_t *)(void *)((char *)table + RANGES_HEAD);
}

static void *ranges_place_of(struct ranges *table, uint64_t index)
{
	return (char *)(tags_of(table) + table->places) + index * table->place_bytes;
}

static uint64_t index_of(struct ranges *table, const void *place)
{
	return (uint64_t)((const char *)place - (const char *)ranges_place_of(table, 0)) /
	       (table->place_bytes ? table->place_bytes : 1);
}

uint64_t ranges_bytes(uint64_t places, uint64_t place_bytes)
{
	return RANGES_HEAD + places * (sizeof(uint32_t) + place_bytes);
}

void ranges_init(struct ranges *table, uint64_t places, uint64_t place_bytes)
{
	table->places = places;
	table->place_bytes = place_bytes;
	table->tidy = 1;
}

static unsigned tags_used(struct ranges *table, uint64_t bucket)
{
	const uint32_t *tag = tags_of(table) + bucket * RANGES_BUCKET;
	unsigned used = 0;

	for (unsigned i = 0; i < RANGES_BUCKET; i++)
		used += __atomic_load_n(&tag[i], __ATOMIC_RELAXED) != 0;
	return used;
}

static uint64_t take_tag(struct ranges *table, uint64_t bucket, uint32_t value)
{
	uint32_t *tag = tags_of(table) + bucket * RANGES_BUCKET;

	for (unsigned i = 0; i < RANGES_BUCKET; i++) {
		uint32_t free = 0;

		if (!__atomic_load_n(&tag[i], __ATOMIC_RELAXED) &&
		    __atomic_compare_exchange_n(&tag[i], &free, value, false, __ATOMIC_ACQ_REL,
						__ATOMIC_RELAXED))
			return bucket * RANGES_BUCKET + i;
	}
	return NO_PLACE;
}

/* The first bucket, or the emptiest if that is more than half full. */
static uint64_t take_place(struct ranges *table, const struct spot *spot)
{
	unsigned used = tags_used(table, spot->bucket[0]), best = 0, other;
	uint64_t index;

	for (unsigned i = 1; i < CHOICES && used > RANGES_BUCKET / 2; i++) {
		other = tags_used(table, spot->bucket[i]);
		if (other < used) {
			used = other;
			best = i;
		}
	}
	if (best)
		__atomic_store_n(&table->tidy, 0, __ATOMIC_RELEASE);
	index = take_tag(table, spot->bucket[best], spot->tag);
	if (index != NO_PLACE)
		return index;
	__atomic_store_n(&table->tidy, 0, __ATOMIC_RELEASE);
	for (unsigned i = 0; i < CHOICES && index == NO_PLACE; i++)
		index = take_tag(table, spot->bucket[i], spot->tag);
	return index;
}

void *ranges_claim(struct ranges *table, uint32_t owner, uint64_t start, uint64_t bytes)
{
	unsigned level = level_of(bytes);
	struct spot spot = spot_of(table, owner, level, level < 64 ? start >> level : 0);
	uint64_t index = take_place(table, &spot);
	struct range *range;

	if (index == NO_PLACE) {
		__atomic_fetch_add(&table->full, 1, __ATOMIC_RELAXED);
		return NULL;
	}
	__atomic_fetch_add(&table->used, 1, __ATOMIC_RELAXED);
	if (level < 64 && !(__atomic_load_n(&table->levels, __ATOMIC_RELAXED) & 1ull << level))
		__atomic_fetch_or(&table->levels, 1ull << level, __ATOMIC_RELEASE);
	range = ranges_place_of(table, index);
	__atomic_thread_fence(__ATOMIC_RELEASE); /* who sees a change below sees the even state */
	range->owner = owner;
	range->start = start;
	range->bytes = bytes;
	return range;
}

void ranges_publish(void *place)
{
	struct range *range = place;

	__atomic_store_n(&range->state, range->state + 1, __ATOMIC_RELEASE);
}

/*
 * Copies a place word by word, because it may be written at the same time; the state shows that
 * afterwards.
 */
static bool read_place(const struct ranges *table, const void *place, void *copy)
{
	const struct range *range = place;
	uint32_t state = __atomic_load_n(&range->state, __ATOMIC_ACQUIRE);
	const uint64_t *from = place;
	uint64_t *to = copy;

	if (!(state & 1))
		return false;
	for (uint64_t i = 0; i < table->place_bytes / sizeof(*from); i++)
		to[i] = __atomic_load_n(&from[i], __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return __atomic_load_n(&range->state, __ATOMIC_RELAXED) == state &&
	       ((const struct range *)copy)->state == state;
}

static bool contains(const struct range *range, uint32_t owner, uint64_t address)
{
	return range->owner == owner && address >= range->start &&
	       (address - range->start < range->bytes || address == range->start);
}

static void *find_in(struct ranges *table, uint64_t bucket, uint32_t tag, uint32_t owner,
		     uint64_t address, void *copy)
{
	const uint32_t *tags = tags_of(table) + bucket * RANGES_BUCKET;

	for (unsigned i = 0; i < RANGES_BUCKET; i++) {
		void *place = ranges_place_of(table, bucket * RANGES_BUCKET + i);

		if (__atomic_load_n(&tags[i], __ATOMIC_ACQUIRE) == tag &&
		    read_place(table, place, copy) && contains(copy, owner, address))
			return place;
	}
	return NULL;
}

static void *find_block(struct ranges *table, uint32_t owner, unsigned level, uint64_t block,
			uint64_t address, void *copy)
{
	struct spot spot = spot_of(table, owner, level, block);
	unsigned choices = __atomic_load_n(&table->tidy, __ATOMIC_ACQUIRE) == 1 ? 1 : CHOICES;
	void *place = NULL;

	for (unsigned i = 0; i < choices && !place; i++)
		place = find_in(table, spot.bucket[i], spot.tag, owner, address, copy);
	return place;
}

void *ranges_find(struct ranges *table, uint32_t owner, uint64_t address, void *copy)
{
	uint64_t levels = __atomic_load_n(&table->levels, __ATOMIC_ACQUIRE);
	void *place = NULL;

	for (; levels && !place; levels &= levels - 1) {
		unsigned level = (unsigned)__builtin_ctzll(levels);
		uint64_t block = address >> level;

		place = find_block(table, owner, level, block, address, copy);
		if (!place && block)
			place = find_block(table, owner, level, block - 1, address, copy);
	}
	return place;
}

bool ranges_same(const void *place, const void *copy)
{
	const struct range *range = place, *then = copy;

	return __atomic_load_n(&range->state, __ATOMIC_ACQUIRE) == then->state;
}

bool ranges_hide(void *place, const void *copy)
{
	struct range *range = place;
	uint32_t state = ((const struct range *)copy)->state;

	return state & 1 && __atomic_compare_exchange_n(&range->state, &state, state + 1, false,
							__ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

void ranges_free(struct ranges *table, const void *place)
{
	__atomic_fetch_sub(&table->used, 1, __ATOMIC_RELAXED);
	__atomic_store_n(&tags_of(table)[index_of(table, place)], 0, __ATOMIC_RELEASE);
}

bool ranges_drop(struct ranges *table, void *place, const void *copy)
{
	bool hidden = ranges_hide(place, copy);

	if (hidden)
		ranges_free(table, place);
	return hidden;
}

void *ranges_next(struct ranges *table, uint64_t *at, void *copy)
{
	while (*at < table->places) {
		uint64_t index = (*at)++;

		if (__atomic_load_n(&tags_of(table)[index], __ATOMIC_ACQUIRE) &&
		    read_place(table, ranges_place_of(table, index), copy))
			return ranges_place_of(table, index);
	}
	return NULL;
}
