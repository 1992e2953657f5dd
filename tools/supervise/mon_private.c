/* SPDX-License-Identifier: Apache-2.0 */
/* Creates private session directories and removes stale ones. */
#include "mon_private.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../shim/common/rank.h"
#include "../base/util.h"
#include "../reader/host.h"
#include "../reader/session.h"
#include "launch.h"

#define SUFFIX ".run"

static bool make_ours(const char *dir)
{
	struct stat st;

	return (!mkdir(dir, 0700) || errno == EEXIST) && !lstat(dir, &st) && S_ISDIR(st.st_mode) &&
	       st.st_uid == geteuid() && !(st.st_mode & (S_IWGRP | S_IWOTH));
}

/* Whether the process that a directory is named after has certainly ended. */
static bool is_gone(const char *name)
{
	unsigned long long start, pid_ns;
	unsigned pid;
	char end[8];

	if (sscanf(name, "%u.%llu.%llu%7s", &pid, &start, &pid_ns, end) != 4 ||
	    strcmp(end, SUFFIX) || pid_ns != host_pid_namespace())
		return false;
	if (kill((pid_t)pid, 0) && errno == ESRCH)
		return true;
	return host_start_of(pid) && host_start_of(pid) != start;
}

static bool have_all_ended(struct session *session)
{
	if (!session->here)
		return rank_is_local(session->head->host.filesystem);
	for (uint32_t slot = 0; slot < session->there; slot++) {
		const struct mpsan_process *process = &session->table[slot];

		if (process->pid && !process->end_ns &&
		    !(process->flags & MPSAN_PROCESS_REPLACED) &&
		    session_liveness(session, slot) != GONE)
			return false;
	}
	return true;
}

static bool is_over(const char *dir)
{
	struct session session;
	AUTO_FREE char *wrong = session_open(&session, dir, false);
	bool over = wrong || have_all_ended(&session);

	session_close(&session);
	return over;
}

static void mon_private_sweep(const char *base)
{
	DIR *stream = opendir(base);
	struct dirent *entry;

	while (stream && (entry = readdir(stream))) {
		AUTO_FREE char *dir = NULL;

		if (!is_gone(entry->d_name))
			continue;
		dir = text_format("%s/%s", base, entry->d_name);
		if (is_over(dir))
			launch_remove(dir);
	}
	if (stream)
		closedir(stream);
}

char *mon_private_make(const char *tmp)
{
	char *base = text_format("%s/mpsan-%u", tmp, geteuid()), *dir = NULL;
	uint64_t start = host_proc_is_own() ? host_start_of((uint32_t)getpid()) : 0;

	if (start && host_pid_namespace() && make_ours(base)) {
		mon_private_sweep(base);
		dir = text_format("%s/%d.%llu.%llu" SUFFIX, base, getpid(),
				  (unsigned long long)start,
				  (unsigned long long)host_pid_namespace());
		if (mkdir(dir, 0700)) {
			free(dir);
			dir = NULL;
		}
	}
	free(base);
	return dir;
}
