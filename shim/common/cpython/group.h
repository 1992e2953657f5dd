/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Process groups of torch.distributed, read from Python's objects: the rank of a process, and the ranks
 * that a collective needs. Torch 1.13 to 2.13: the table `_pg_group_ranks` of its module has a dictionary
 * of global ranks for each group, the first of which is the whole job.
 */
#pragma once

#include "frame.h"

struct cpython_rank {
	uint32_t rank, world; /* world 0: unknown */
	bool joined; /* the process group of the whole job exists */
};

/* The rank of a process; `modules` is its interpreter's dictionary of modules, `top` a thread's innermost frame. */
struct cpython_rank cpython_group_rank(const struct cpython *py, uint64_t modules, uint64_t top);

/*
 * The ranks that take part in the collective of a thread, or the one that it receives from or sends to,
 * as global ranks. Returns how many; 0: unknown, perhaps all.
 */
unsigned cpython_group_members(const struct cpython *py, uint64_t modules, uint64_t top,
			       uint32_t *rank, unsigned most);
