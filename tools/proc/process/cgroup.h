/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Control groups of processes: where the kernel shows their limits and counts. Source: cgroups(7).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * The directory of the group of a v1 controller ("cpu", "memory"), "" for the group in the v2 hierarchy, among the lines of a
 * /proc/PID/cgroup; NULL: there is none. The caller frees it.
 */
char *cgroup_named(const char *lines, const char *controller);
/* The same of a living process, 0: this one; NULL also if it is unreadable. */
char *cgroup_of(uint32_t pid, const char *controller);
/* Cuts it to that of the group above; false: it is the topmost one. */
bool cgroup_parent(char *directory);

/* Whether a group has frozen the process. */
bool cgroup_is_frozen(uint32_t pid);

/*
 * The number of kills for lack of memory in the group of a process since that exists; -1: unknown. A higher number
 * than at the session's start is evidence.
 */
int64_t cgroup_oom_kills(uint32_t pid);
