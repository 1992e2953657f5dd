/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared memory of this process, by device and inode: which segment stands behind a descriptor, what
 * was said of it, and what becomes of it. Segments are files on the tmpfs of /dev/shm, memfds, and
 * the files in which multiprocessing keeps its arenas; named semaphores are none. Their names in
 * events are paths, as /proc says them: /dev/shm/NAME, /memfd:NAME. Neighbours: descriptor.h has a
 * byte for each descriptor, mapping.h where segments are mapped, fd_passing.h who gets their descriptors,
 * segment_call.h the calls of the program.
 */
#ifndef MPSAN_SEGMENT_H
#define MPSAN_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "../../include/mpsan_event.h"
#include "../common/ranges.h"

enum segment_flags {
	SEGMENT_MADE = 1, /* by this very process: it is its maker */
	SEGMENT_TORCH = 2, /* libtorch was loaded when it came in */
	SEGMENT_UNLINKED = 4, /* this process removed its name, or it had none */
};

/* A place of this process's private table; the range is one byte at the inode. */
struct segment {
	struct range range;
	uint64_t device;
	uint64_t record; /* position of its `shm` event; 0: none could be written */
	uint32_t flags; /* enum segment_flags */
	uint32_t generation; /* of the process that wrote the event: see segment_generation */
	uint32_t descriptors, mappings; /* of this process */
};

/* Raised by each fork, in the child: what has an older one was inherited, and is the parent's to state. */
extern uint32_t segment_generation;

/* The segment behind a descriptor; false: none that is known. No system call. */
bool segment_of(int fd, struct segment *copy);
/* Its place, which may be changed where one field is all; NULL: not known. */
struct segment *segment_find(uint64_t device, uint64_t inode, struct segment *copy);

/* No segment was left out for want of room: one that is not known here was not made here. */
bool segment_all_known(void);

/* Descriptors of segments that this process holds, and some that libc closed by itself. */
extern uint32_t segment_descriptors;
/* The same, when the kernel was asked for each. */
uint32_t segment_count(void);

/* What is known of a descriptor that has just come into this process. */
struct segment_arrival {
	int fd;
	enum mpsan_shm_way way;
	uint32_t flags; /* enum mpsan_shm_flags */
	uint32_t from; /* pid, 0: not known */
	uint64_t name; /* position of its text */
	uint64_t caller;
};
/* States it, unless this process has it already, and follows its descriptor from now on. */
void segment_arrived(const struct segment_arrival *arrival, const struct stat *file);

/* The same of a descriptor of which nothing is known: false when no segment is behind it. */
bool segment_look(int fd, enum mpsan_shm_way way, uint32_t from, uint64_t caller);

/* A descriptor of a segment was copied, or is about to be closed. */
void segment_copied(int from, int to);
void segment_closed(int fd, uint64_t caller);

/* One mapping more, or less; a segment that nobody here has, and nobody names, is forgotten. */
void segment_mapped(const struct segment *segment, int by);

/* What this process did with a segment that it stated, in the record's `later`. */
void segment_later(const struct segment *segment, uint64_t clear, uint64_t set);

/* The device of /dev/shm, 0: there is none. */
uint64_t segment_device(void);

/*
 * A forked child is about to use up something that it had inherited: stated once for each kind. Call it GUARDED. And the
 * call has failed: what was stated of it, 0 for nothing, is taken back.
 */
uint64_t segment_inherited(const struct segment *segment, enum mpsan_shm_use what, uint64_t name,
			   uint64_t caller);
void segment_not_used(enum mpsan_shm_use what, uint64_t stated);
static inline bool segment_is_own(const struct segment *segment)
{
	return segment->generation == segment_generation;
}

/* A forked child begins. */
void segment_forked(void);

#endif
