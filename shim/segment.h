/*
 * Shared memory of this process, by device and inode: which segment stands behind a descriptor, what
 * was said of it, and what becomes of it. Segments are files on the tmpfs of /dev/shm, memfds, and
 * the files in which multiprocessing keeps its arenas; named semaphores are none. Neighbours:
 * descriptor.h has a byte for each descriptor, mapping.h where segments are mapped, peer.h who gets
 * their descriptors; hooks/memory.c, hooks/fd.c and hooks/socket.c call.
 */
#ifndef MPSAN_SEGMENT_H
#define MPSAN_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../include/mpsan_event.h"
#include "ranges.h"

enum segment_flags {
	SEGMENT_MADE = 1, /* by this very process: it is its maker */
	SEGMENT_TORCH = 2, /* libtorch was loaded when it came in */
	SEGMENT_SENT = 4, /* its descriptor left at least once */
	SEGMENT_UNLINKED = 8, /* this process removed its name, or it never had one */
};

/* A place of this process's private table; the range is one byte at the inode. */
struct segment {
	struct range range;
	uint64_t device;
	uint64_t record; /* position of its `shm` event; 0: none could be written */
	uint64_t bytes; /* as far as this process knows */
	uint32_t flags; /* enum segment_flags */
	uint32_t generation; /* of the process that wrote the event: see segment_generation */
	uint32_t descriptors, mappings; /* of this process */
};

/* Raised by each fork, in the child: what has an older one was inherited, and is the parent's to state. */
extern uint32_t segment_generation;

/* The segment behind a descriptor; false: none that is known. No system call. */
bool segment_of(int fd, struct segment *copy);
bool segment_find(uint64_t device, uint64_t inode, struct segment *copy);
/* The same for its place, to be changed where one field is all; NULL: not there. */
struct segment *segment_place(uint64_t device, uint64_t inode, struct segment *copy);

/* Descriptors of segments that this process holds. */
uint32_t segment_descriptors(void);

/*
 * A path that may name a segment: under /dev/shm, and no semaphore, or an arena of multiprocessing.
 * Looks at the text alone.
 */
bool segment_path(const char *path);

/* Before and after a call that opens, and perhaps makes, a file. */
struct segment_open {
	uint64_t name; /* position of its text, 0: not stated yet */
	bool watched; /* it is a segment's path, and things may be stated */
	bool makes; /* the file was not there before */
};
void segment_open_begin(struct segment_open *open, const char *path, int flags,
			enum mpsan_shm_way way);
void segment_open_end(const struct segment_open *open, const char *path, int fd, int flags,
		      enum mpsan_shm_way way, uint64_t caller);

/* A descriptor came from elsewhere: over a socket, by pidfd_getfd, or it was there before. */
bool segment_came(int fd, enum mpsan_shm_way way, uint64_t from, uint64_t caller);

/* A descriptor was copied (dup and its like) or closed. */
void segment_copied(int from, int to, bool for_others);
void segment_closed(int fd, uint64_t caller);

/* Around a call that gives a segment its size. */
struct segment_sizing {
	bool watched;
	uint64_t free; /* bytes free before the call */
};
void segment_size(int fd, uint64_t bytes, int error, uint64_t caller);

/* Around a call that removes a name: what it stands for is asked before. */
struct segment_unlinking {
	bool watched;
	uint64_t device, inode, bytes;
};
void segment_unlink_begin(struct segment_unlinking *unlinking, int at, const char *path);
void segment_unlink_end(const struct segment_unlinking *unlinking, const char *path, int error,
			uint64_t caller);

/* A call about shared memory failed; `path` may be NULL. */
void segment_refused(enum mpsan_shm_reason reason, const char *function, const char *path, int fd,
		     int error, uint64_t bytes, uint64_t caller);

/* A forked child begins: what it has is inherited. */
void segment_forked(void);

#endif
