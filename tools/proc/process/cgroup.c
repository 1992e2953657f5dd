/* SPDX-License-Identifier: Apache-2.0 */
/* Parses /proc/PID/cgroup. */
#include "cgroup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/util.h"
#include "../procfs.h"

#define MOUNTED "/sys/fs/cgroup"
#define LINES_BYTES 16384u /* of a dozen v1 hierarchies and the v2 one */

/* Whether a list "cpu,cpuacct", which ends with a colon, has that one; "": whether it is empty. */
static bool has_controller(const char *list, const char *controller)
{
	size_t length = strlen(controller);

	for (const char *at = list;; at++) {
		if (!strncmp(at, controller, length) && strchr(",:", at[length]))
			return true;
		at += strcspn(at, ",:\n");
		if (*at != ',')
			return false;
	}
}

/* Lines "NUMBER:CONTROLLERS:PATH", in v2 without controllers. */
char *cgroup_named(const char *lines, const char *controller)
{
	for (const char *line = lines; line; line = strchr(line, '\n')) {
		const char *list, *path;

		line += *line == '\n';
		list = line + strcspn(line, ":\n");
		if (*list != ':' || !has_controller(list + 1, controller))
			continue;
		path = list + 1 + strcspn(list + 1, ":\n");
		if (path[0] == ':' && path[1] == '/')
			return text_format(MOUNTED "%s%s%.*s", *controller ? "/" : "", controller,
					   (int)strcspn(path + 1, "\n"), path + 1);
	}
	return NULL;
}

char *cgroup_of(uint32_t pid, const char *controller)
{
	char lines[LINES_BYTES];
	bool found = pid ? procfs_read(lines, sizeof(lines), "%u/cgroup", pid) :
			   procfs_read(lines, sizeof(lines), "self/cgroup");

	return found ? cgroup_named(lines, controller) : NULL;
}

bool cgroup_parent(char *directory)
{
	char *slash = strrchr(directory, '/');

	if (!strcmp(directory, MOUNTED) || !slash)
		return false;
	*slash = '\0';
	return true;
}

/* The number after a word at the beginning of a line of a group's file; -1: there is none. */
static int64_t number_in(const char *directory, const char *name, const char *word)
{
	AUTO_FREE char *path = text_format("%s/%s", directory, name);
	char line[256];
	size_t length = strlen(word);
	AUTO_CLOSE FILE *file = fopen(path, "re");
	int64_t number = -1;

	while (file && number < 0 && fgets(line, sizeof(line), file))
		if (!strncmp(line, word, length) && line[length] == ' ')
			number = strtoll(line + length, NULL, 10);
	return number;
}

static int64_t number_of(uint32_t pid, const char *controller, const char *name, const char *word)
{
	AUTO_FREE char *group = cgroup_of(pid, controller);

	return group ? number_in(group, name, word) : -1;
}

bool cgroup_is_frozen(uint32_t pid)
{
	return number_of(pid, "", "cgroup.events", "frozen") == 1;
}

int64_t cgroup_oom_kills(uint32_t pid)
{
	int64_t kills = number_of(pid, "", "memory.events", "oom_kill");

	return kills < 0 ? number_of(pid, "memory", "memory.oom_control", "oom_kill") : kills;
}
