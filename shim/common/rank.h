/*
 * Which process of a job this is, by the variables of its launcher, and session directories named by it. Pure code for
 * the library and the command: both must name the same directory. Neighbours: host.c asks the system what is missing
 * here, tools/reader/host.c for the command.
 */
#ifndef MPSAN_RANK_H
#define MPSAN_RANK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../include/mpsan_log.h"

/* The value of an environment variable, NULL: it is not set. */
typedef const char *rank_get(const char *name);

/* What the letters behind a '%' mean. */
struct rank_names {
	const char *host;
	uint32_t pid;
	rank_get *get;
};

/* Whether a directory's name holds a '%' that rank_expand would replace. */
bool rank_is_pattern(const char *text);

/*
 * Writes a pattern with %h (host), %r (rank), %j (job), %p (pid) and %% replaced; any other '%' stands for itself. What
 * is not known is written as "none". False when it does not fit.
 */
bool rank_expand(char *to, size_t bytes, const char *pattern, const struct rank_names *names);

/* The rank + 1; 0: the launcher gave none. */
uint32_t rank_of(rank_get *get);

/* Fills in launcher, rank, world, local and job. */
void rank_describe(struct mpsan_host *host, rank_get *get);

/*
 * Narrows what is known of this host's clock against that of its file system: between the readings `before` and `after`
 * the file system stamped `stamp`.
 */
void rank_clock(struct mpsan_host *host, uint64_t before, uint64_t after, uint64_t stamp);

/*
 * Whether a file system (statfs.f_type) is one that no other machine writes to (ext, xfs, btrfs, overlay, tmpfs, f2fs, zfs):
 * what was made there before the machine was started is over.
 */
bool rank_is_local(uint64_t filesystem);

#endif
