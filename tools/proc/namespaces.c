/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the namespaces of other processes. */
#include "namespaces.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "proc.h"
#include "process/status.h"
#include "procfs.h"

static uint64_t inode_of(const char *path)
{
	struct stat st;

	return stat(path, &st) ? 0 : st.st_ino;
}

uint64_t namespace_of(uint32_t pid, const char *which)
{
	uint32_t living = proc_living(pid);
	char path[48];

	procfs_path(path, sizeof(path), "%u/ns/%s", living ? living : pid, which);
	return inode_of(path);
}

bool namespace_is_ours(uint32_t pid, const char *which)
{
	char path[32];
	uint64_t own;

	snprintf(path, sizeof(path), "/proc/self/ns/%s", which);
	own = inode_of(path);
	return own && own == namespace_of(pid, which);
}

/* "NSpid: 4711 12 1" */
static void parse_tids(const char *at, struct namespace_tids *tids)
{
	char *end;

	for (; tids->count < NAMESPACES_MAX; at = end) {
		tids->of[tids->count] = (uint32_t)strtoul(at, &end, 10);
		if (end == at)
			return;
		tids->count++;
	}
}

struct namespace_tids namespace_tids(uint32_t pid, uint32_t tid)
{
	struct namespace_tids tids = {0};
	char text[PROC_STATUS_BYTES];
	const char *line = proc_status(pid, tid, text) ? proc_status_line(text, "NSpid") : NULL;

	if (line)
		parse_tids(line, &tids);
	return tids;
}

uint32_t namespace_own_tid(uint32_t pid, uint32_t tid)
{
	struct namespace_tids tids = namespace_tids(pid, tid);

	return tids.count ? tids.of[tids.count - 1] : 0;
}
