/*
 * The open descriptors of a process, as /proc tells of them. Threads may have tables of their own
 * (unshare(2)), and a process whose main thread has ended shows what it has only below another one:
 * each table is walked once. Neighbours: pipes.h and memory_reach.h ask what stands behind a descriptor.
 */
#ifndef MPSAN_DESCRIPTORS_H
#define MPSAN_DESCRIPTORS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

/* One of them as it was when it was looked at. */
struct descriptor {
	uint32_t pid;
	char path[64]; /* /proc/PID/task/TID/fd/NUMBER */
	char target[256]; /* of its link: a path, "pipe:[1]", "socket:[1]"; cut off when longer */
};

/* Calls `see` for each; false when a process that is there cannot be looked into. */
bool descriptors_each(uint32_t pid, void (*see)(const struct descriptor *descriptor, void *context),
		      void *context);

/* The one of this number; false: it cannot be looked at. */
bool descriptor_of(uint32_t pid, int fd, struct descriptor *descriptor);

/* Its file, as far as this machine knows it by itself: no server is asked, no FUSE daemon waited for. */
bool descriptor_stat(const struct descriptor *descriptor, struct statx *file);

/* The number in the line of its fdinfo that begins with `key` and a colon; -1: there is none. */
int64_t descriptor_info(const struct descriptor *descriptor, const char *key, int base);

/*
 * Whether other descriptors are kept behind this one, on their way or in store: a Unix socket with unread
 * SCM_RIGHTS, its own or of who waits to be accepted, or an io_uring with registered files.
 */
bool descriptor_carries(const struct descriptor *descriptor);
/* A kernel before 5.6 does not tell: then each Unix socket may. */
bool descriptor_may_carry(const struct descriptor *descriptor);

#endif
