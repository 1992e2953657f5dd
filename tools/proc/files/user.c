/* SPDX-License-Identifier: Apache-2.0 */
/* Reads user and groups of a process, and takes them on. */
#include "user.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../../base/filtered.h"
#include "../procfs.h"

/* Real, effective, saved, of the file system: all the same. */
static bool one_of_four(const char *text, const char *key, uint32_t *number)
{
	const char *at = strstr(text, key);
	uint32_t other[3];

	return at &&
	       sscanf(at + strlen(key), "%u %u %u %u", number, &other[0], &other[1], &other[2]) ==
		       4 &&
	       other[0] == *number && other[1] == *number && other[2] == *number;
}

static void take_groups(const char *text, struct proc_user *user)
{
	const char *at = strstr(text, "\nGroups:");
	char *end;

	for (at = at ? at + 8 : ""; user->count < PROC_GROUPS; at = end) {
		at += strspn(at, " \t");
		user->groups[user->count] = (uint32_t)strtoul(at, &end, 10);
		if (end == at)
			break;
		user->count++;
	}
}

bool proc_user(uint32_t pid, struct proc_user *user)
{
	char text[8192];

	*user = (struct proc_user){0};
	if (!procfs_read(text, sizeof(text), "%u/status", pid) ||
	    !one_of_four(text, "\nUid:", &user->uid) || !one_of_four(text, "\nGid:", &user->gid))
		return false;
	take_groups(text, user);
	return true;
}

/* By the ids of the file system: the right to look into the process stays. */
bool proc_user_become(const struct proc_user *user)
{
	if (user->uid == geteuid())
		return true;
	if (filtered_call(SYS_setgroups, user->count, (long)user->groups, 0, 0, 0))
		return false;
	setfsgid(user->gid);
	setfsuid(user->uid);
	return (uint32_t)setfsgid((gid_t)-1) == user->gid &&
	       (uint32_t)setfsuid((uid_t)-1) == user->uid;
}
