/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which process of a job this is, from its launcher's variables, and session directories that are
 * named after it. Compiled into the library and the command, which must name the same directory.
 * session_dir.c and tools/reader/host.c get from the system what is not in the environment.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../include/mpsan_log.h"

/* Returns the value of an environment variable; NULL: it is not set. */
typedef const char *rank_get(const char *name);

/* What the letters behind '%' stand for. */
struct rank_names {
	const char *host;
	uint32_t pid;
	rank_get *get;
};

/* Whether a directory's name contains a '%' that rank_expand would replace. */
bool rank_is_pattern(const char *text);

/*
 * Writes a pattern with %h (host), %r (rank), %j (job), %p (PID) and %% replaced; any other '%' is
 * copied. Unknown values become "none". False: it does not fit.
 */
bool rank_expand(char *to, size_t bytes, const char *pattern, const struct rank_names *names);

/* The rank + 1; 0: the launcher gave none. */
uint32_t rank_of(rank_get *get);

/* Fills in launcher, rank, world, local and job. */
void rank_describe(struct mpsan_host *host, rank_get *get);

/*
 * Narrows the known offset of this host's clock from its file system's: the file system set
 * timestamp `stamp` between the clock readings `before` and `after`.
 */
void rank_clock(struct mpsan_host *host, uint64_t before, uint64_t after, uint64_t stamp);

/*
 * Whether a file system (statfs.f_type) is local (ext, xfs, btrfs, overlay, tmpfs, f2fs, zfs): no
 * other machine writes to it, so a session from before the last boot is over.
 */
bool rank_is_local(uint64_t filesystem);
