/* SPDX-License-Identifier: Apache-2.0 */
/* Whose a process is, for the files that it may read. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define PROC_GROUPS 256u /* more are left out: they would allow more */
#define PROC_NOBODY 65534u

struct proc_user {
	uint32_t uid, gid;
	uint32_t count, groups[PROC_GROUPS];
};

/* False: unknown, or its user ids differ, as in a program with another user's rights. */
bool proc_user(uint32_t pid, struct proc_user *user);

/*
 * From now on, files are opened with the rights of that user; what /proc shows is read with ours. False: we have no
 * right to change that. There is no way back: for a child.
 */
bool proc_user_become(const struct proc_user *user);
