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
#include "../process/status.h"

/* Real, effective, saved, of the file system: all the same. */
static bool one_of_four(const char *text, const char *key, uint32_t *number)
{
	const char *at = proc_status_line(text, key);
	uint32_t other[3];

	return at && sscanf(at, "%u %u %u %u", number, &other[0], &other[1], &other[2]) == 4 &&
	       other[0] == *number && other[1] == *number && other[2] == *number;
}

static void take_groups(const char *text, struct proc_user *user)
{
	const char *at = proc_status_line(text, "Groups");
	char *end;

	for (at = at ? at : ""; user->count < PROC_GROUPS; at = end) {
		at += strspn(at, " \t");
		user->groups[user->count] = (uint32_t)strtoul(at, &end, 10);
		if (end == at)
			break;
		user->count++;
	}
}

bool proc_user(uint32_t pid, struct proc_user *user)
{
	char text[PROC_STATUS_BYTES];

	*user = (struct proc_user){0};
	if (!proc_status(pid, 0, text) || !one_of_four(text, "Uid", &user->uid) ||
	    !one_of_four(text, "Gid", &user->gid))
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
