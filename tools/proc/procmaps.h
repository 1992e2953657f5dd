/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared mappings of a living process, from /proc/PID/maps. Neighbour: pshared_locks.h looks up the
 * object at an address.
 */
#ifndef MPSAN_PROCMAPS_H
#define MPSAN_PROCMAPS_H

#include <stdbool.h>
#include <stdint.h>

#include "../base/util.h"

struct procmap {
	uint64_t start, end;
	uint64_t offset; /* of `start` in the object */
	uint64_t device, inode;
};

struct procmaps {
	ARRAY(struct procmap) list; /* sorted; shared mappings only */
};

/* Appends the current mappings; false if the process cannot be read. */
bool procmaps_read(struct procmaps *maps, uint32_t pid);
void procmaps_free(struct procmaps *maps);

/* NULL: no shared mapping is there. */
const struct procmap *procmaps_find(const struct procmaps *maps, uint64_t address);

#endif
