/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What goes through descriptors by read, write and their kin: the hooks are called by the million, so
 * each looks at one byte, which says whether this process has anything to be watched for, and jumps on
 * when it is 0. Neighbours: shared_ofd.h, fd_passing.h, descriptor.h; hooks/stream.c calls.
 */
#ifndef MPSAN_STREAM_H
#define MPSAN_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "../../include/mpsan_log.h"
#include "../intercept/hook.h"
#include "descriptor.h"

enum stream_watch {
	STREAM_OFFSETS = 1, /* it forked, or was forked: open files may be common */
	STREAM_PEERS = 2, /* connected to where descriptors are handed out */
	STREAM_COMPLAINTS =
		/* started by multiprocessing, or a copy: it may fail, or be refused to start processes */
	4,
};
extern uint8_t stream_watch;

/* Watches for one thing more. */
void stream_follow(enum stream_watch what);
/* The library was set up. */
void stream_start(void);
/* A fork has come back, in the parent or in the child. */
void stream_forked(bool child);

/* Writes of less can hold no tensor that is worth a word. */
#define STREAM_LARGE 16384u

/* Whether there is anything to do for this descriptor, `told` (DESCRIPTOR_…) being what was stated. */
static inline bool stream_uses(int fd, uint8_t told)
{
	return stream_watch & STREAM_OFFSETS && (uint32_t)fd < DESCRIPTORS &&
	       !(descriptor_flags[fd] & (DESCRIPTOR_APART | told));
}

static inline bool stream_reads(int fd)
{
	return stream_uses(fd, DESCRIPTOR_READ_TOLD) ||
	       (stream_watch & STREAM_PEERS && descriptor_known(fd) & DESCRIPTOR_PEER);
}

static inline bool stream_writes(int fd)
{
	return stream_uses(fd, DESCRIPTOR_WRITE_TOLD) ||
	       (stream_watch & STREAM_COMPLAINTS && fd == 2);
}

/* Descriptors from which data came in this process, while they are open: whether anybody ever sent. */
extern uint64_t stream_fed_by;
void stream_feed(int fd, bool fed);

static inline bool stream_is_fed(int fd)
{
	return (uint32_t)fd < MPSAN_FED && stream_fed_by >> fd & 1;
}

/* A read of it has nothing new to say of that. */
static inline bool stream_knows(int fd)
{
	return (uint32_t)fd >= MPSAN_FED || stream_fed_by >> fd & 1;
}

/* Before a descriptor's number loses its meaning. */
static inline void stream_closed(int fd)
{
	if (UNLIKELY(stream_is_fed(fd)))
		stream_feed(fd, false);
}

/* After any other, errno as it left it: passes its result through. `peeked`: what was read is still there. */
ssize_t stream_was_read(int fd, ssize_t result, bool peeked, uint64_t caller);
/* Before a write: of data in one piece, or of anything else (NULL). */
void stream_is_written(int fd, const void *data, size_t bytes, uint64_t caller);
/* After a move of the offset that succeeded. */
void stream_was_moved(int fd, uint64_t caller);

#endif
