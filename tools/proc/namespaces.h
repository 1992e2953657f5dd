/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Namespaces of other processes, and the numbers that threads have in PID namespaces below that of
 * /proc. Neighbour: proc.h.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The inode of a process's namespace of that kind ("pid", "ipc"); 0: unknown. */
uint64_t namespace_of(uint32_t pid, const char *which);

/* Whether it is in our namespace of that kind; false also if unknown. */
bool namespace_is_ours(uint32_t pid, const char *which);

#define NAMESPACES_MAX 33u /* that lie in one another */

/* The TIDs of a thread, from the PID namespace of /proc to its own, the last. 0: unknown. */
struct namespace_tids {
	uint32_t count, of[NAMESPACES_MAX];
};
struct namespace_tids namespace_tids(uint32_t pid, uint32_t tid);

/* The TID of a thread in its own PID namespace; 0: unknown. */
uint32_t namespace_own_tid(uint32_t pid, uint32_t tid);
