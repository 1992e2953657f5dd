/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The open descriptors of a process, from /proc. Threads may have tables of their own (unshare(2)),
 * and a process whose main thread has ended shows its table only below another thread: each table
 * is walked once. Neighbours: pipes.h and memory_reach.h examine them.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

/* A descriptor at the time of the walk. */
struct descriptor {
	uint32_t pid;
	char path[64]; /* /proc/PID/task/TID/fd/NUMBER */
	char target[256]; /* its link: a path, "pipe:[1]", "socket:[1]"; truncated if longer */
};

/*
 * Whether this process has enough free ones for a session, a log, and to examine processes, which it would take for
 * absent otherwise.
 */
bool descriptors_suffice(void);
#define DESCRIPTORS_TOO_FEW \
	"too few descriptors (RLIMIT_NOFILE); ulimit -n 1024 is enough for most programs"

/* Calls `see` for each; false if the process exists but cannot be read. */
bool descriptors_each(uint32_t pid, void (*see)(const struct descriptor *descriptor, void *context),
		      void *context);

/* The descriptor with this number; false if it cannot be read. */
bool descriptor_of(uint32_t pid, int fd, struct descriptor *descriptor);

/* Whether the thread has none with this number; false also if its descriptors cannot be seen. */
bool descriptor_is_closed(uint32_t tid, int fd);

/* stat() of its file from local data only: without waiting for servers or FUSE daemons. */
bool descriptor_stat(const struct descriptor *descriptor, struct statx *file);

/* The number in the fdinfo line that starts with `key` and a colon; -1: none. */
int64_t descriptor_info(const struct descriptor *descriptor, const char *key, int base);

/* Whether that number may be the same open file in two processes. */
bool descriptor_may_be_same(uint32_t one, uint32_t other, int fd);

/* Whether fdinfo has this line. */
bool descriptor_says(const struct descriptor *descriptor, const char *line);

/* The inode of a socket; 0: no socket. */
uint64_t descriptor_socket(const struct descriptor *descriptor);

/* Whether it is a Unix socket; the path that it is bound to, or "". */
#define DESCRIPTOR_PATH 108u
bool descriptor_unix_path(const struct descriptor *descriptor, char to[DESCRIPTOR_PATH]);

/* Whether every request that was given to an io_uring has been answered, once. False: not, or the kernel does not say. */
bool descriptor_ring_rests(const struct descriptor *descriptor);

/* Of a timerfd that is set: how far ahead it is due; 0: it is none, or not set. */
uint64_t descriptor_timer_ns(const struct descriptor *descriptor);

/* Whether the open file holds a lock of its own: flock's, or fcntl's for open files. */
bool descriptor_has_lock(const struct descriptor *descriptor);

/*
 * Whether it carries other descriptors: a Unix socket with unread SCM_RIGHTS, its own or of a
 * connection not accepted yet, or an io_uring with registered files.
 */
bool descriptor_carries(const struct descriptor *descriptor);
/* As descriptor_carries(); before Linux 5.6, which does not tell, true for every Unix socket. */
bool descriptor_may_carry(const struct descriptor *descriptor);
