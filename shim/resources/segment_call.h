/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls of the program that make, open, size and remove shared memory by name: what is to be known before
 * them, and stated after them. Neighbours: segment.h; hooks/memory.c and hooks/fd.c call.
 */
#ifndef MPSAN_SEGMENT_CALL_H
#define MPSAN_SEGMENT_CALL_H

#include <stdbool.h>
#include <stdint.h>

#include "../../include/mpsan_event.h"

/* A call that opens a file, and perhaps makes it. */
struct segment_open {
	uint64_t name; /* position of its text; 0: no segment is to be made */
	uint64_t key, intent; /* what was announced; 0: nothing */
	bool makes; /* the name was not there before */
};
/* Before it, where it may make the file. */
void segment_open_begin(struct segment_open *opening, const char *path, int flags,
			enum mpsan_shm_way way);
/* After it, in any case; keeps errno. */
void segment_open_end(const struct segment_open *opening, const char *path, int fd, int flags,
		      enum mpsan_shm_way way, uint64_t caller);

/* The text of a segment's name. */
uint64_t segment_name(const char *path);

/* memfd_create: it has a name for those who look, and none that can be opened. */
void segment_memfd(int fd, uint64_t caller);

/* pidfd_getfd. */
void segment_fetched(int pidfd, int fd, uint64_t caller);

/* Bytes free where a descriptor's segment lies; UINT64_MAX: no limit is known. */
uint64_t segment_free(int fd);
/* A segment got a size, or not; `free` is from before. */
void segment_sized(int fd, uint64_t bytes, uint64_t free, int error, const char *function,
		   uint64_t caller);

/* A call that removes a name: what it stands for is asked before it, and its removal announced. */
struct segment_unlinking {
	uint64_t device, inode, bytes; /* inode 0: none of ours */
	/* what was announced of it, and of one that was inherited; 0: nothing */
	uint64_t removal, use;
	bool made; /* by this process, which states no more than a flag of its record */
};
void segment_unlink_begin(struct segment_unlinking *unlinking, int at, const char *path,
			  enum mpsan_shm_way way, uint64_t caller);
void segment_unlink_end(const struct segment_unlinking *unlinking, bool removed);

/* A call about shared memory failed, or will soon; stated a few times for each reason. */
void segment_refused(const struct ev_shm_refused *refused, const char *function, uint64_t caller);
/* A call found no descriptor free (EMFILE), or a message lost some. */
void segment_no_descriptor(enum mpsan_shm_reason reason, const char *function, uint64_t caller);
/* Nothing failed yet, but segments take most of what there is: to be asked when one more has come. */
void segment_check_descriptors(uint64_t caller);

#endif
