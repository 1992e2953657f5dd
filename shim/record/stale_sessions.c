/* SPDX-License-Identifier: Apache-2.0 */
/* Finds sessions whose processes have all ended, and removes the oldest. */
#include "stale_sessions.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>

#include "../intercept/sys.h"
#include "identity.h"
#include "session_dir.h"
#include "table.h"

#define KEEP 32u /* sessions */

void stale_remove(const char *directory)
{
	char entry[1024];
	long fd = SYS4(SYS_openat, AT_FDCWD, directory,
		       O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW, 0),
	     n;

	if (fd < 0)
		return;
	while ((n = SYS3(SYS_getdents64, fd, entry, sizeof(entry))) > 0)
		for (long at = 0; at < n; at += *(unsigned short *)(void *)(entry + at + 16))
			if (entry[at + 19] != '.')
				SYS3(SYS_unlinkat, fd, entry + at + 19, 0);
	SYS1(SYS_close, fd);
	SYS3(SYS_unlinkat, AT_FDCWD, directory, AT_REMOVEDIR);
}

/*
 * Whether all processes have ended. The file is read, not mapped, so that its truncation does no
 * harm.
 */
static bool all_have_ended(long fd, const struct mpsan_session *head, uint64_t own_pid_ns)
{
	struct mpsan_process process;
	uint64_t seen = 0;

	for (uint32_t i = 0; i < head->slots && seen < head->claimed; i++) {
		if (SYS4(SYS_pread64, fd, &process, sizeof(process), table_file_bytes(i)) !=
		    (long)sizeof(process))
			return true; /* truncated: no process writes there */
		if (!process.pid)
			continue;
		seen++;
		if (identity_lives(&process, own_pid_ns))
			return false;
	}
	return true;
}

static bool is_over(long fd, bool maker_gone, const struct identity *self)
{
	struct mpsan_session head = {0};

	if (SYS4(SYS_pread64, fd, &head, sizeof(head), 0) != (long)sizeof(head) ||
	    head.magic != MPSAN_SESSION_MAGIC)
		return maker_gone;
	switch (host_origin(&head.host)) {
	case HOST_OTHER:
		return false;
	case HOST_EARLIER:
		return rank_is_local(head.host.filesystem);
	default:
		return maker_gone && all_have_ended(fd, &head, self->pid_ns);
	}
}

static void old_join(char *path, char *end, const char *a, const char *b)
{
	text_put(text_put(text_put(path, end, a), end, "/"), end, b);
}

bool stale_is_over(const char *directory, const struct identity *self)
{
	char path[256];
	enum identity_state maker = identity_state(text_tail(directory), self);
	long fd;
	bool over;

	old_join(path, path + sizeof(path), directory, "session");
	fd = SYS4(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0);
	if (fd < 0)
		return maker == IDENTITY_GONE;
	over = is_over(fd, maker == IDENTITY_GONE, self);
	SYS1(SYS_close, fd);
	return over;
}

struct oldest {
	char path[256];
	uint64_t s;
};

static void old_look(struct oldest *oldest, long fd, const char *base, const char *name,
		     const struct identity *self)
{
	char path[sizeof(oldest->path)];
	struct stat st;

	if (SYS4(SYS_newfstatat, fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
	    (uint64_t)st.st_mtim.tv_sec >= oldest->s ||
	    identity_state(name, self) == IDENTITY_LIVES)
		return;
	old_join(path, path + sizeof(path), base, name);
	if (!stale_is_over(path, self))
		return;
	oldest->s = (uint64_t)st.st_mtim.tv_sec;
	text_put(oldest->path, oldest->path + sizeof(oldest->path), path);
}

/* Counts the sessions; with `oldest` finds the one that ended first. */
static unsigned go_through(long fd, const char *base, struct oldest *oldest,
			   const struct identity *self)
{
	char entry[1024];
	unsigned count = 0;
	long n;

	while ((n = SYS3(SYS_getdents64, fd, entry, sizeof(entry))) > 0)
		for (long at = 0; at < n; at += *(unsigned short *)(void *)(entry + at + 16)) {
			const char *name = entry + at + 19;

			count += *name != '.';
			if (oldest && *name != '.')
				old_look(oldest, fd, base, name, self);
		}
	return count;
}

void stale_forget(const char *base, const struct identity *self)
{
	struct oldest oldest = {.s = UINT64_MAX};
	long fd = SYS4(SYS_openat, AT_FDCWD, base, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW,
		       0);

	if (fd < 0)
		return;
	if (go_through(fd, base, NULL, self) > KEEP && SYS3(SYS_lseek, fd, 0, SEEK_SET) == 0)
		go_through(fd, base, &oldest, self);
	SYS1(SYS_close, fd);
	if (oldest.path[0])
		stale_remove(oldest.path);
}
