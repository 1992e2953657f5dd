/* See pipes.h. */
#include "pipes.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define GENERATIONS_MAX 64u

bool pipe_same(const struct pipe_id *one, const struct pipe_id *other)
{
	return one->kind && one->kind == other->kind && one->device == other->device &&
	       one->inode == other->inode;
}

static struct pipe_id id_at(int dirfd, const char *name)
{
	struct stat st;
	char target[16];
	ssize_t bytes;

	if (fstatat(dirfd, name, &st, 0) || !S_ISFIFO(st.st_mode))
		return (struct pipe_id){PIPE_NOT, 0, 0};
	bytes = readlinkat(dirfd, name, target, sizeof(target));
	return (struct pipe_id){bytes > 5 && !strncmp(target, "pipe:", 5) ? PIPE_ANONYMOUS :
									    PIPE_NAMED,
				st.st_dev, st.st_ino};
}

struct pipe_id pipe_of(uint32_t pid, int fd)
{
	char path[48];

	snprintf(path, sizeof(path), "/proc/%u/fd/%d", pid, fd);
	return id_at(AT_FDCWD, path);
}

/* The access mode is in the octal "flags:" line of /proc/PID/fdinfo/N. */
static unsigned ends_of(uint32_t pid, const char *fd)
{
	char path[320], line[128];
	unsigned flags, ends = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%u/fdinfo/%s", pid, fd);
	file = fopen(path, "re");
	while (file && !ends && fgets(line, sizeof(line), file))
		if (sscanf(line, "flags: %o", &flags) == 1)
			ends = (flags & O_ACCMODE) == O_RDONLY ? PIPE_END_READ :
			       (flags & O_ACCMODE) == O_WRONLY ? PIPE_END_WRITE :
								 PIPE_END_READ | PIPE_END_WRITE;
	if (file)
		fclose(file);
	return ends;
}

static void add(struct pipes *pipes, uint32_t first, const struct pipe_holder *holder)
{
	for (uint32_t i = first; i < pipes->holders.count; i++)
		if (pipe_same(&pipes->holders.item[i].id, &holder->id)) {
			pipes->holders.item[i].ends |= holder->ends;
			return;
		}
	*ARRAY_ADD(&pipes->holders) = *holder;
}

/* A process that ended meanwhile holds nothing. */
static void scan_process(struct pipes *pipes, uint32_t pid)
{
	uint32_t first = pipes->holders.count;
	struct dirent *entry;
	char path[32];
	DIR *fds;

	snprintf(path, sizeof(path), "/proc/%u/fd", pid);
	fds = opendir(path);
	if (!fds) {
		if (errno != ENOENT && errno != ESRCH)
			*ARRAY_ADD(&pipes->unread) = pid;
		return;
	}
	while ((entry = readdir(fds))) {
		struct pipe_holder holder = {.pid = pid};

		if (!isdigit((unsigned char)*entry->d_name))
			continue;
		holder.id = id_at(dirfd(fds), entry->d_name);
		if (holder.id.kind && (holder.ends = ends_of(pid, entry->d_name)))
			add(pipes, first, &holder);
	}
	closedir(fds);
}

void pipes_scan(struct pipes *pipes)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;

	pipes->holders.count = pipes->unread.count = 0;
	while (proc && (entry = readdir(proc)))
		if (isdigit((unsigned char)*entry->d_name))
			scan_process(pipes, (uint32_t)strtoul(entry->d_name, NULL, 10));
	if (proc)
		closedir(proc);
}

void pipes_free(struct pipes *pipes)
{
	free(pipes->holders.item);
	free(pipes->unread.item);
	memset(pipes, 0, sizeof(*pipes));
}

const struct pipe_holder *pipes_next(const struct pipes *pipes, const struct pipe_id *id,
				     unsigned ends, uint32_t *at)
{
	while (*at < pipes->holders.count) {
		const struct pipe_holder *holder = &pipes->holders.item[(*at)++];

		if (holder->ends & ends && pipe_same(&holder->id, id))
			return holder;
	}
	return NULL;
}

/* 0: it has none, has ended (a zombie holds nothing), or is not there. */
static uint32_t parent_of(uint32_t pid)
{
	char path[32], text[512], *after, state;
	unsigned parent = 0;
	ssize_t bytes;
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	bytes = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);
	if (fd >= 0)
		close(fd);
	text[bytes > 0 ? bytes : 0] = '\0';
	after = strrchr(text, ')'); /* the name before it may contain anything */
	return after && sscanf(after + 1, " %c %u", &state, &parent) == 2 && state != 'Z' ? parent :
											    0;
}

bool pipes_are_blind(const struct pipes *pipes, bool (*is_ours)(uint32_t pid, void *context),
		     void *context)
{
	for (uint32_t i = 0; i < pipes->unread.count; i++) {
		uint32_t pid = pipes->unread.item[i], parent = parent_of(pid);

		for (unsigned depth = 0; parent && depth < GENERATIONS_MAX; depth++) {
			if (is_ours(pid, context))
				return true;
			pid = parent;
			parent = parent_of(pid);
		}
	}
	return false;
}
