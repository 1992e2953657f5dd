/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mappings of a process, from /proc/PID/maps: nobody else parses it. Neighbours: proc.h looks up one of
 * them, pshared_locks.h the object at an address.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "../base/util.h"

/* Source of the format: proc(5). */
struct procmap {
	uint64_t start, end;
	uint64_t offset; /* of `start` in the object */
	uint64_t device, inode; /* 0: of no file */
	char rights[5]; /* "rwxp", 's' instead of 'p' if shared, '-' for each one that it lacks */
	/*
	 * "/…", "[heap]", "" and the like, cut at PATH_MAX. Of a deleted file it ends with " (deleted)". The kernel
	 * writes a line break in it as "\012".
	 */
	const char *path;
};

/*
 * Goes through them by address, even if the main thread has ended and another one lives:
 *	struct procmaps_walk walk = procmaps_begin(pid);
 *	while (procmaps_next(&walk)) … walk.at …
 *	procmaps_end(&walk);
 */
struct procmaps_walk {
	FILE *file; /* NULL: unreadable */
	uint32_t pid; /* 0: a mapping was read */
	struct procmap at; /* its path is valid until the next one */
	char line[PATH_MAX + 128];
};
struct procmaps_walk procmaps_begin(uint32_t pid);
bool procmaps_next(struct procmaps_walk *walk);
/* False: they could not be read. */
bool procmaps_end(struct procmaps_walk *walk);

/* Whether it is of a device, rather than shared memory, whose anonymous kind is called "/dev/zero (deleted)". */
bool procmap_is_device(const struct procmap *map);

/* The shared ones, without their paths. */
struct procmaps {
	ARRAY(struct procmap) list; /* sorted */
};

/* Appends the current mappings; false if the process cannot be read. */
bool procmaps_read(struct procmaps *maps, uint32_t pid);
void procmaps_free(struct procmaps *maps);

/* NULL: no shared mapping is there. */
const struct procmap *procmaps_find(const struct procmaps *maps, uint64_t address);
