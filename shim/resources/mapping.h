/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mappings of segments in this process: a table of address ranges in private memory, created at
 * the first one. A mapping is one record; its unmap is one store into that record, if it is this
 * process's own. See segment.h, ranges.h.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "../common/ranges.h"
#include "../intercept/hook.h"

struct mapping {
	struct range range;
	uint64_t device, inode; /* of its segment */
	uint64_t record; /* position of its `shm_map` event */
	uint32_t generation; /* segment_generation at its creation: older ones were inherited */
	uint32_t flags; /* enum mapping_flags */
};

enum mapping_flags { MAPPING_WRITABLE = 1, MAPPING_TORCH = 2 };

/* Finds the mapping at an address; false: none known. Async-signal-safe. */
bool mapping_find(uint64_t address, struct mapping *copy);

/*
 * The number of mappings of segments in this process, and of those by torch, including inherited
 * ones.
 */
extern uint32_t mapping_count, mapping_torch;

/* The lowest and highest address of all mappings so far. */
extern uint64_t mapping_low, mapping_high;

static inline bool mapping_may_touch(uint64_t address, uint64_t bytes)
{
	return UNLIKELY(address < mapping_high && address + bytes > mapping_low);
}

/* A descriptor was mapped shared; finds out its segment if it is not known. */
void mapping_made(uint64_t address, uint64_t bytes, bool writable, int fd, uint64_t caller);
/* Memory was unmapped, or moved elsewhere: removes the mappings there, or parts of them. */
void mapping_gone(uint64_t address, uint64_t bytes, uint64_t caller);
void mapping_moved(uint64_t from, uint64_t bytes_before, uint64_t to, uint64_t bytes);

/* A mapping failed with ENOMEM. */
void mapping_refused(int fd, uint64_t bytes, uint64_t caller);
