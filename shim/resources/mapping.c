/* SPDX-License-Identifier: Apache-2.0 */
/* Adds, splits and removes the mappings of segments, and watches their number. */
#include "mapping.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>

#include "../intercept/sys.h"
#include "../record/log.h"
#include "../record/state.h"
#include "fault.h"
#include "range_table.h"
#include "segment.h"
#include "segment_call.h"

#define PLACES (128u << 10)
#define CHECK_EACH 1024u

STATE static struct ranges *table;
STATE uint64_t mapping_low, mapping_high;
STATE uint32_t mapping_count, mapping_torch;

bool mapping_find(uint64_t address, struct mapping *copy)
{
	struct ranges *t = __atomic_load_n(&table, __ATOMIC_ACQUIRE);

	return t && ranges_find(t, 0, address, copy);
}

static void mapping_widen(uint64_t address, uint64_t end)
{
	uint64_t low = __atomic_load_n(&mapping_low, __ATOMIC_RELAXED),
		 high = __atomic_load_n(&mapping_high, __ATOMIC_RELAXED);

	while ((!low || address < low) &&
	       !__atomic_compare_exchange_n(&mapping_low, &low, address, false, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED))
		;
	while (end > high && !__atomic_compare_exchange_n(&mapping_high, &high, end, false,
							  __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

static void mapping_enter(const struct mapping *mapping)
{
	const uint32_t head = sizeof(struct range);
	struct ranges *t = range_table(&table, PLACES, sizeof(struct mapping));
	char *place;

	place = t ? ranges_claim(t, 0, mapping->range.start, mapping->range.bytes) : NULL;
	if (!place)
		return;
	mapping_widen(mapping->range.start, mapping->range.start + mapping->range.bytes);
	memcpy(place + head, (const char *)mapping + head, sizeof(*mapping) - head);
	ranges_publish(place);
	__atomic_fetch_add(&mapping_count, 1, __ATOMIC_RELAXED);
	if (mapping->flags & MAPPING_TORCH)
		__atomic_fetch_add(&mapping_torch, 1, __ATOMIC_RELAXED);
}

static uint64_t map_limit(void)
{
	char text[24];

	return sys_read_file("/proc/sys/vm/max_map_count", text, sizeof(text)) > 0 ?
		       text_number(text, NULL) :
		       0;
}

/* Counts the lines of the list of mappings, read in pieces that need no memory of their own. */
static uint64_t count_maps(void)
{
	long fd = SYS4(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC, 0), n;
	char text[512];
	uint64_t lines = 0;

	while (fd >= 0 && (n = SYS3(SYS_read, fd, text, sizeof(text))) > 0)
		for (long i = 0; i < n; i++)
			lines += text[i] == '\n';
	if (fd >= 0)
		SYS1(SYS_close, fd);
	return lines;
}

/* Checks the number of mappings with the kernel, which merges adjacent ones. */
static void check_count(uint64_t caller)
{
	static bool said;
	uint64_t limit, count;

	if (said || mapping_count % CHECK_EACH)
		return;
	limit = map_limit();
	if (!limit || mapping_count * 5ull < limit * 4)
		return;
	count = count_maps();
	if (count * 5 < limit * 4)
		return;
	said = true;
	segment_refused(&(struct ev_shm_refused){.reason = MPSAN_SHM_MANY_MAPS,
						 .count = count,
						 .limit = limit},
			"", caller);
}

static void mapping_state(const struct segment *segment, uint64_t address, uint64_t bytes,
			  bool writable)
{
	struct mapping mapping = {
		.range = {.start = address, .bytes = bytes},
		.device = segment->device,
		.inode = segment->range.start,
		.generation = segment_generation,
		.flags = (writable ? MAPPING_WRITABLE : 0) |
			 (segment->flags & SEGMENT_TORCH ? MAPPING_TORCH : 0),
	};

	mapping.record = EMIT(shm_map,
			      .device = MPSAN_SHM_DEVICE(segment->device) |
					(writable ? MPSAN_SHM_MAP_WRITABLE : 0),
			      .inode = segment->range.start, .address = address, .bytes = bytes);
	mapping_enter(&mapping);
	segment_mapped(segment, 1);
	fault_watch(FAULT_BUS);
}

void mapping_made(uint64_t address, uint64_t bytes, bool writable, int fd, uint64_t caller)
{
	struct segment segment;

	if (!life_may_change())
		return;
	GUARDED {
		if (segment_of(fd, &segment) ||
		    (segment_look(fd, MPSAN_SHM_FOUND, 0, caller) && segment_of(fd, &segment))) {
			mapping_state(&segment, address, (bytes + 4095) & ~4095ull, writable);
			fault_watch(FAULT_BUS);
			check_count(caller);
		}
	}
}

static void end_record(const struct mapping *mapping)
{
	struct mpsan_record *r = mapping->record && mapping->generation == segment_generation ?
					 log_at(mapping->record) :
					 NULL;

	if (r)
		__atomic_store_n(&r->later, sys_now(), __ATOMIC_RELEASE);
}

static void mapping_leave(void *place, const struct mapping *mapping, uint64_t caller)
{
	struct segment segment = {.device = mapping->device,
				  .range.start = mapping->inode,
				  .generation = mapping->generation};

	if (!ranges_drop(table, place, mapping))
		return;
	__atomic_fetch_sub(&mapping_count, 1, __ATOMIC_RELAXED);
	if (mapping->flags & MAPPING_TORCH)
		__atomic_fetch_sub(&mapping_torch, 1, __ATOMIC_RELAXED);
	end_record(mapping);
	if (caller && mapping->generation != segment_generation) {
		GUARDED {
			segment_inherited(&segment, MPSAN_SHM_UNMAPPED, 0, caller);
		}
	}
	segment_mapped(&segment, -1);
}

/*
 * Adds a remaining part again, with the same record; the other part counts as mapped until this one
 * is unmapped.
 */
static void mapping_keep(const struct mapping *mapping, uint64_t start, uint64_t end)
{
	struct mapping rest = *mapping;
	struct segment segment = {.device = mapping->device, .range.start = mapping->inode};

	if (start >= end)
		return;
	rest.range.start = start;
	rest.range.bytes = end - start;
	mapping_enter(&rest);
	segment_mapped(&segment, 1);
}

/*
 * Removes the mapping at the start of [start, end); false: there is none. `next`: where to
 * continue.
 */
static bool cut(uint64_t start, uint64_t end, uint64_t caller, uint64_t *next)
{
	struct mapping mapping;
	void *place = table ? ranges_find(table, 0, start, &mapping) : NULL;
	uint64_t first = place ? mapping.range.start : 0,
		 last = place ? first + mapping.range.bytes : 0;

	if (!place)
		return false;
	*next = last;
	if (first < start || last > end) {
		mapping_keep(&mapping, first, start);
		mapping_keep(&mapping, end, last);
		mapping.record = 0;
	}
	mapping_leave(place, &mapping, caller);
	return true;
}

/* Does not search for a mapping that starts before a hole: it counts as still mapped. */
void mapping_gone(uint64_t address, uint64_t bytes, uint64_t caller)
{
	uint64_t end = address + ((bytes + 4095) & ~4095ull);

	if (!life_may_change())
		return;
	while (address < end && cut(address, end, caller, &address))
		;
}

void mapping_moved(uint64_t from, uint64_t bytes_before, uint64_t to, uint64_t bytes)
{
	struct segment segment, *known;
	struct mapping mapping;

	if (!mapping_find(from, &mapping) || mapping.range.start != from || !life_may_change())
		return;
	known = segment_find(mapping.device, mapping.inode, &segment);
	mapping_gone(from, bytes_before, 0);
	if (!known)
		return;
	GUARDED {
		mapping_state(&segment, to, (bytes + 4095) & ~4095ull,
			      mapping.flags & MAPPING_WRITABLE);
	}
}

void mapping_refused(int fd, uint64_t bytes, uint64_t caller)
{
	struct segment segment;
	uint64_t limit;

	if (!segment_of(fd, &segment) || !life_may_state())
		return;
	GUARDED {
		limit = map_limit();
		segment_refused(&(struct ev_shm_refused){.reason = MPSAN_SHM_NO_MAP,
							 .result = ENOMEM,
							 .device = segment.device,
							 .inode = segment.range.start,
							 .bytes = bytes,
							 .count = count_maps(),
							 .limit = limit},
				"mmap", caller);
	}
}
