/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program's calls that create, open, resize and unlink shared memory by name: what has to be
 * known before them, and recorded after them. See segment.h; hooks/memory.c and hooks/fd.c call.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "../../include/mpsan_event.h"

/* A call that opens a file, and may create it. */
struct segment_open {
	uint64_t name; /* position of its text; 0: it creates no segment */
	uint64_t key, intent; /* announced; 0: nothing */
	bool makes; /* the name did not exist before */
};
/* Before the call, if it may create the file. */
void segment_open_begin(struct segment_open *opening, const char *path, int flags,
			enum mpsan_shm_way way);
/* After the call, in any case; preserves errno. */
void segment_open_end(const struct segment_open *opening, const char *path, int fd, int flags,
		      enum mpsan_shm_way way, uint64_t caller);

/* The text of a segment's name. */
uint64_t segment_name(const char *path);

/* memfd_create: a segment with a name for debugging only. */
void segment_memfd(int fd, uint64_t caller);

/* A descriptor was taken by pidfd_getfd. */
void segment_fetched(int pidfd, int fd, uint64_t caller);

/* Free bytes on the file system of a descriptor's segment; UINT64_MAX: no known limit. */
uint64_t segment_free(int fd);
/* A segment was resized, or not (`error`); `free` is from before. */
void segment_sized(int fd, uint64_t bytes, uint64_t free, int error, const char *function,
		   uint64_t caller);

/* A call that unlinks a name: its segment is determined before, and the unlink announced. */
struct segment_unlinking {
	uint64_t device, inode, bytes; /* inode 0: no segment */
	/* announced: the unlink, and the use of an inherited segment; 0: nothing */
	uint64_t removal, use;
	bool made; /* by this process, which only sets a flag in its record */
};
void segment_unlink_begin(struct segment_unlinking *unlinking, int at, const char *path,
			  enum mpsan_shm_way way, uint64_t caller);
void segment_unlink_end(const struct segment_unlinking *unlinking, bool removed);

/* A call on shared memory failed, or is close to a limit; recorded a few times for each reason. */
void segment_refused(const struct ev_shm_refused *refused, const char *function, uint64_t caller);
/* A call found no free descriptor (EMFILE), or a message lost some. */
void segment_no_descriptor(enum mpsan_shm_reason reason, const char *function, uint64_t caller);
/* Checks, when a descriptor was added, whether segments take most of the limit. */
void segment_check_descriptors(uint64_t caller);
