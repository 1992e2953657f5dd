/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The modules that a process had mapped at some time: its own since its last exec, and those
 * inherited by fork. Neighbours: reader.h has the events, modules.h reads the files.
 */
#pragma once

#include "reader.h"

struct module {
	uint64_t base; /* address of its lowest PT_LOAD: l_addr for shared objects and PIE */
	uint64_t end; /* end of its last mapped byte */
	char *path;
	char *build_id; /* lower-case hex, or NULL: unknown */
	const char *root; /* of the process, see session_root; the reader's */
	uint64_t inode; /* of the file; 0: unknown */
	char *mapped; /* see root_mapped; NULL: its file is still there */
};

struct modules {
	struct module *item; /* sorted by base */
	size_t count;
	uint64_t made; /* another number for each list that was made; 0: none was given */
};

/* The module that contains `address`, or NULL. */
const struct module *modules_find(const struct modules *modules, uint64_t address);

/* Whether a module is the vdso: it is no file, so its name is no path. */
bool module_is_vdso(const struct module *module);

struct maps;

struct maps *maps_create(const struct reader *reader);
void maps_destroy(struct maps *maps);

/* Sorted; owned by `maps` and valid until the next call. */
const struct modules *maps_at(struct maps *maps, uint32_t slot, uint64_t time_ns);

/*
 * Reads a living process's modules from /proc/PID/maps; they hold for `time_ns` and later. Does
 * nothing if that file cannot be read.
 */
void maps_learn(struct maps *maps, uint32_t slot, uint32_t pid, uint64_t time_ns);
/* Forgets what was read of an ended process. */
void maps_forget(struct maps *maps, uint32_t slot);
