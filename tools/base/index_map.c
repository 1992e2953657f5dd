/* SPDX-License-Identifier: Apache-2.0 */
/* A hash map from the place of a record to an index, with open addressing. */
#include "index_map.h"

#include <stdlib.h>

#include "util.h"

struct place {
	uint64_t pos; /* 0: free entry; no record has position 0 */
	uint32_t slot;
	uint32_t index;
	uint16_t type;
};

struct index_map {
	struct place *item;
	uint32_t count;
	uint32_t room; /* a power of two */
};

struct index_map *index_map_create(void)
{
	struct index_map *places = memory_get(sizeof(*places));

	places->room = 256;
	places->item = memory_get(places->room * sizeof(*places->item));
	return places;
}

void index_map_destroy(struct index_map *places)
{
	if (places)
		free(places->item);
	free(places);
}

/*
 * Positions come from logs, which can be forged so that all of them collide; the table's address is
 * a seed that a forger does not know.
 */
static uint32_t hash(const struct index_map *places, uint32_t slot, uint64_t pos)
{
	uint64_t mixed = (pos ^ (uint64_t)slot << 40 ^ (uintptr_t)places) * 0x9e3779b97f4a7c15ull;

	mixed = (mixed ^ mixed >> 29) * 0xbf58476d1ce4e5b9ull;
	return (uint32_t)(mixed >> 32);
}

static struct place *find(const struct index_map *places, uint32_t slot, uint64_t pos,
			  uint16_t type)
{
	uint32_t i = hash(places, slot, pos) & (places->room - 1);

	while (places->item[i].pos) {
		struct place *place = &places->item[i];

		if (place->pos == pos && place->slot == slot && place->type == type)
			break;
		i = (i + 1) & (places->room - 1);
	}
	return &places->item[i];
}

static void index_map_grow(struct index_map *places)
{
	struct index_map old = *places;

	places->room *= 2;
	places->item = memory_get(places->room * sizeof(*places->item));
	for (uint32_t i = 0; i < old.room; i++)
		if (old.item[i].pos)
			*find(places, old.item[i].slot, old.item[i].pos, old.item[i].type) =
				old.item[i];
	free(old.item);
}

void index_map_add(struct index_map *places, uint32_t slot, uint64_t pos, uint16_t type,
		   uint32_t index)
{
	if (2 * ++places->count > places->room)
		index_map_grow(places);
	*find(places, slot, pos, type) = (struct place){pos, slot, index, type};
}

uint32_t index_map_find(const struct index_map *places, uint32_t slot, uint64_t pos, uint16_t type)
{
	const struct place *place = pos ? find(places, slot, pos, type) : NULL;

	return place && place->pos ? place->index : INDEX_NONE;
}
