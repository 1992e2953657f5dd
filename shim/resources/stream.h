/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads, writes and seeks of watched descriptors. The hooks are called by the million, so each
 * tests one byte, which says whether this process has anything to watch, and jumps on if it is 0.
 * See shared_ofd.h, fd_passing.h, descriptor.h; hooks/stream.c calls.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "../../include/mpsan_log.h"
#include "../intercept/hook.h"
#include "descriptor.h"

enum stream_watch {
	STREAM_OFFSETS = 1, /* it forked, or was forked: open file descriptions may be shared */
	STREAM_PEERS = 2, /* connected to a process that serves descriptors */
	STREAM_COMPLAINTS =
		4, /* started by multiprocessing: Python may refuse it to start processes */
	STREAM_HANDS = 8, /* the next write may tell another process where to fetch a descriptor */
};
extern uint8_t stream_watch;

/* Adds something to watch for. */
void stream_follow(enum stream_watch what);
/* It has come. */
static inline void stream_leave(enum stream_watch what)
{
	__atomic_fetch_and(&stream_watch, (uint8_t)~what, __ATOMIC_RELAXED);
}
/* At the start. */
void stream_start(void);
/* After a fork, in the parent or in the child. */
void stream_forked(bool child);

/* Smaller writes cannot hold a tensor that matters. */
#define STREAM_LARGE 16384u

/*
 * Whether there is anything to do for this descriptor; `told` (DESCRIPTOR_…): what was already
 * recorded.
 */
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
	       (stream_watch & STREAM_COMPLAINTS && fd == 2) || stream_watch & STREAM_HANDS;
}

/*
 * A bit for each open descriptor that data was read from in this process: shows whether any process
 * ever sent.
 */
extern uint64_t stream_fed_by;
void stream_feed(int fd, bool fed);

static inline bool stream_is_fed(int fd)
{
	return (uint32_t)fd < MPSAN_FED && stream_fed_by >> fd & 1;
}

/* Whether a read adds nothing to that. */
static inline bool stream_knows(int fd)
{
	return (uint32_t)fd >= MPSAN_FED || stream_fed_by >> fd & 1;
}

/* Before a descriptor is closed. */
void stream_closes(int fd);
static inline void stream_closed(int fd)
{
	if (UNLIKELY(stream_watch || stream_is_fed(fd)))
		stream_closes(fd);
}

/*
 * After a read, with errno as it left it: returns its result. `peeked`: the data was not consumed.
 */
ssize_t stream_was_read(int fd, ssize_t result, bool peeked, uint64_t caller);
/* Before a write of one piece of data, or of anything else (NULL). */
void stream_is_written(int fd, const void *data, size_t bytes, uint64_t caller);
/* After a successful seek. */
void stream_was_moved(int fd, uint64_t caller);
