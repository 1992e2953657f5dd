/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where segments are mapped in this process: a table of address ranges in private memory, made at the
 * first one. A mapping is one record; its end is one store into it, when that record is this process's
 * own. Neighbours: segment.h, ranges.h.
 */
#ifndef MPSAN_MAPPING_H
#define MPSAN_MAPPING_H

#include <stdbool.h>
#include <stdint.h>

#include "../common/ranges.h"
#include "../intercept/hook.h"

struct mapping {
	struct range range;
	uint64_t device, inode; /* of its segment */
	uint64_t record; /* position of its `shm_map` event */
	uint32_t generation; /* as segment_generation: older ones were inherited */
	uint32_t flags; /* enum mapping_flags */
};

enum mapping_flags { MAPPING_WRITABLE = 1, MAPPING_TORCH = 2 };

/* The mapping that holds an address; false: none that is known. Safe in a signal handler. */
bool mapping_find(uint64_t address, struct mapping *copy);

/* How many mappings of segments this process has, and how many of torch: inherited ones included. */
extern uint32_t mapping_count, mapping_torch;

/* The lowest and highest address of all mappings so far: what lies outside is none of ours. */
extern uint64_t mapping_low, mapping_high;

static inline bool mapping_may_touch(uint64_t address, uint64_t bytes)
{
	return UNLIKELY(address < mapping_high && address + bytes > mapping_low);
}

/* A shared mapping of a descriptor was made; asks what is behind it where that is not known. */
void mapping_made(uint64_t address, uint64_t bytes, bool writable, int fd, uint64_t caller);
/* What is mapped there, or parts of it, has ended: bytes were unmapped, or moved to another place. */
void mapping_gone(uint64_t address, uint64_t bytes, uint64_t caller);
void mapping_moved(uint64_t from, uint64_t bytes_before, uint64_t to, uint64_t bytes);

/* There was no room for one more (ENOMEM). */
void mapping_refused(int fd, uint64_t bytes, uint64_t caller);

#endif
