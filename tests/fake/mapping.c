/*
 * What lies in this address space besides the arenas: memory of other processes, VMM mappings, registered host
 * memory. One array for each kind, in order of addresses. All with the lock held.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "fake.h"

static struct table {
	struct mapping *places;
	size_t count, room;
} tables[MAPPING_KINDS - MAPPING_IPC];

/* Number of mappings that begin at or before the address. */
static size_t up_to(const struct table *table, uint64_t address)
{
	size_t low = 0, high = table->count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (table->places[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct mapping *mapping_add(uint64_t start, uint64_t bytes, int kind)
{
	struct table *table = &tables[kind - MAPPING_IPC];
	size_t at = up_to(table, start);

	if (table->count == table->room) {
		table->room = table->room ? 2 * table->room : 64;
		table->places = realloc(table->places, table->room * sizeof(*table->places));
		if (!table->places)
			abort();
	}
	memmove(table->places + at + 1, table->places + at,
		(table->count++ - at) * sizeof(*table->places));
	table->places[at] =
		(struct mapping){.start = start, .bytes = bytes, .kind = kind, .opened = 1};
	return table->places + at;
}

struct mapping *mapping_find(uint64_t address, int kind)
{
	struct table *table = &tables[kind - MAPPING_IPC];
	size_t at = up_to(table, address);
	struct mapping *mapping = at ? table->places + at - 1 : NULL;

	return mapping && address - mapping->start < mapping->bytes ? mapping : NULL;
}

struct mapping *mapping_any(uint64_t address)
{
	struct mapping *mapping = NULL;

	for (int kind = MAPPING_IPC; kind < MAPPING_RESERVED && !mapping; kind++)
		mapping = mapping_find(address, kind);
	return mapping;
}

struct mapping *mapping_after(uint64_t address, int kind)
{
	struct table *table = &tables[kind - MAPPING_IPC];
	size_t at = address ? up_to(table, address - 1) : 0;

	return at < table->count ? table->places + at : NULL;
}

void mapping_drop(struct mapping *mapping)
{
	struct table *table = &tables[mapping->kind - MAPPING_IPC];
	size_t at = mapping - table->places;

	memmove(mapping, mapping + 1, (--table->count - at) * sizeof(*mapping));
}

/* Of a context that ends: what it opened of others, and what it registered. */
void mapping_forget(CUcontext context)
{
	static const int kinds[] = {MAPPING_IPC, MAPPING_REGISTERED};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		struct table *table = &tables[kinds[i] - MAPPING_IPC];

		for (size_t at = table->count; at-- > 0;) {
			struct mapping *mapping = table->places + at;

			if (mapping->context != context)
				continue;
			if (mapping->length)
				munmap((void *)(uintptr_t)mapping->base, mapping->length);
			mapping_drop(mapping);
		}
	}
}
