/* SPDX-License-Identifier: Apache-2.0 */
/* Describes damaged logs of a session. */
#include "log_damage.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/plainfile.h"

#define AGAIN "record the session again, or copy it again"

static const char *kind_text(mode_t mode)
{
	return S_ISDIR(mode)  ? "a directory" :
	       S_ISFIFO(mode) ? "a pipe" :
	       S_ISSOCK(mode) ? "a socket" :
	       S_ISLNK(mode)  ? "a symbolic link" :
				"a device";
}

/*
 * Space is reserved before the file is extended; a log that could not be extended has counted the
 * records that it dropped.
 */
static bool lacks_bytes(const struct mpsan_log *head, off_t size)
{
	return !head->dropped && head->head <= head->cap && head->head > (uint64_t)size;
}

static char *wrong_head(const char *name, const struct mpsan_log *head, off_t size, bool over)
{
	if (head->magic != MPSAN_LOG_MAGIC)
		return text_format("%s is not an mpsan log", name);
	if (head->format != MPSAN_FORMAT)
		return text_format("%s has log format %u, but this mpsan reads format %u", name,
				   head->format, MPSAN_FORMAT);
	if (over && lacks_bytes(head, size))
		return text_format("%s is truncated: %lld of %llu bytes", name, (long long)size,
				   (unsigned long long)head->head);
	return NULL;
}

/* `over`: the writer has ended. */
static char *wrong_file(int dirfd, uint32_t slot, bool over)
{
	struct mpsan_log head = {0};
	char name[24], *wrong;
	struct stat st;
	int fd;

	snprintf(name, sizeof(name), "%u.log", slot);
	if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? text_format("%s is missing", name) :
					 text_format("%s: %s", name, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return text_format("%s is %s, not a regular file", name, kind_text(st.st_mode));
	fd = plainfile_open(dirfd, name, O_RDONLY | O_NOFOLLOW);
	if (fd < 0)
		return text_format("%s: %s", name, plainfile_error(errno));
	if (fstat(fd, &st) || st.st_size < (off_t)MPSAN_LOG_START ||
	    pread(fd, &head, sizeof(head), 0) != sizeof(head))
		wrong = text_format("%s is truncated to %lld bytes", name, (long long)st.st_size);
	else
		wrong = wrong_head(name, &head, st.st_size, over);
	close(fd);
	return wrong;
}

static char *told(const struct reader *reader, uint32_t slot, const char *whose)
{
	bool over = reader->over || (slot < reader->session.slots && reader->processes[slot].gone);
	AUTO_FREE char *wrong = wrong_file(reader->session.dirfd, slot, over);

	if (wrong)
		return text_format("the log of %s is damaged: %s; " AGAIN, whose, wrong);
	/* one that its process began after the last look is sound, too, and no part of the report */
	if (reader->logs[slot] || !reader->lacks_memory)
		return NULL;
	return text_format("the log of %s was not read: no memory to map %u.log; " MEMORY_CURE,
			   whose, slot);
}

/* In a session that is under way, or if it failed, the supervisor may not have created its log. */
char *log_damage_told(const struct reader *reader, uint32_t slot)
{
	const struct session *session = &reader->session;
	char whose[32];

	if (slot == session->slots)
		return session->head->supervisor && !session->head->failed &&
				       (reader->over || session->head->end_ns) &&
				       !session->writable ?
			       told(reader, slot, "the supervisor") :
			       NULL;
	if (!(session->table[slot].flags & MPSAN_PROCESS_LOG))
		return NULL;
	snprintf(whose, sizeof(whose), "process %u", session->table[slot].pid);
	return told(reader, slot, whose);
}

static bool is_readable(const struct session *session, uint32_t slot, char **wrong)
{
	char *now = wrong_file(session->dirfd, slot, false);

	if (now && !*wrong)
		*wrong = now;
	else
		free(now);
	return !now;
}

/* The supervisor's log alone may be enough for a finding. */
static bool saw_something(const struct session *session)
{
	char *wrong = wrong_file(session->dirfd, session->slots, false), name[24];
	struct stat st = {0};
	bool sound = !wrong;

	snprintf(name, sizeof(name), "%u.log", session->slots);
	free(wrong);
	return sound && !fstatat(session->dirfd, name, &st, AT_SYMLINK_NOFOLLOW) &&
	       st.st_size > (off_t)MPSAN_LOG_START;
}

char *log_damage_of_all(const struct session *session)
{
	AUTO_FREE char *first = NULL;
	uint32_t logs = 0;
	bool any = saw_something(session);

	for (uint32_t slot = 0; slot < session->there && !any; slot++)
		if (session->table[slot].pid && session->table[slot].flags & MPSAN_PROCESS_LOG) {
			logs++;
			any = is_readable(session, slot, &first);
		}
	if (any || !logs)
		return NULL;
	return text_format("%s: none of its %u logs can be read (%s); " AGAIN, session->dir, logs,
			   first);
}
