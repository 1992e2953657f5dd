/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared memory of this process, by device and inode: the segment of a descriptor, its record, and
 * its fate. Segments are files on the tmpfs of /dev/shm, memfds, and the files of multiprocessing's
 * arenas, but not named semaphores. Their names in events are paths as in /proc: /dev/shm/NAME,
 * /memfd:NAME. descriptor.h has a byte for each descriptor, mapping.h the mappings, fd_passing.h
 * the receivers of descriptors, segment_call.h the program's calls.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "../../include/mpsan_event.h"
#include "../common/ranges.h"

enum segment_flags {
	SEGMENT_MADE = 1, /* by this process: it is the creator */
	SEGMENT_TORCH = 2, /* libtorch was loaded when it arrived */
	SEGMENT_UNLINKED = 4, /* this process unlinked it, or it had no name */
};

/* An entry of this process's private table; the range is one byte at the inode. */
struct segment {
	struct range range;
	uint64_t device;
	uint64_t record; /* position of its `shm` event; 0: it could not be written */
	uint32_t flags; /* enum segment_flags */
	uint32_t generation; /* of the process that wrote the event: see segment_generation */
	uint32_t descriptors, mappings; /* of this process */
};

/*
 * Incremented by each fork, in the child: what has an older one was inherited, and is recorded by
 * the parent.
 */
extern uint32_t segment_generation;

/* Finds the segment of a descriptor; false: none known. No system call. */
bool segment_of(int fd, struct segment *copy);
/* Finds a segment's entry, of which a single field may be changed; NULL: unknown. */
struct segment *segment_find(uint64_t device, uint64_t inode, struct segment *copy);

/* Whether the table never overflowed: then a segment that is unknown here was not created here. */
bool segment_all_known(void);

/*
 * The number of segments' descriptors in this process, including some that libc closed internally.
 */
extern uint32_t segment_descriptors;
/* The exact number, asking the kernel for each. */
uint32_t segment_count(void);

/* What is known of a descriptor that has just arrived. */
struct segment_arrival {
	int fd;
	enum mpsan_shm_way way;
	uint32_t flags; /* enum mpsan_shm_flags */
	uint32_t from; /* PID; 0: unknown */
	uint64_t name; /* position of its text */
	uint64_t caller;
};
/* Records a segment, unless this process has it already, and tracks its descriptor from now on. */
void segment_arrived(const struct segment_arrival *arrival, const struct stat *file);

/* As segment_arrived, for an unknown descriptor: false if it is no segment. */
bool segment_look(int fd, enum mpsan_shm_way way, uint32_t from, uint64_t caller);

/* A segment's descriptor was copied, or is about to be closed. */
void segment_copied(int from, int to);
void segment_closed(int fd, uint64_t caller);

/* Changes the number of mappings; forgets a segment without uses and without a name. */
void segment_mapped(const struct segment *segment, int by);

/* Sets and clears bits in the `later` of a segment's record. */
void segment_later(const struct segment *segment, uint64_t clear, uint64_t set);

/* The device of /dev/shm; 0: none. */
uint64_t segment_device(void);

/*
 * segment_inherited: a forked child is about to release an inherited segment: recorded once for
 * each kind. Call it GUARDED. segment_not_used: the call failed; revokes the event (0: none).
 */
uint64_t segment_inherited(const struct segment *segment, enum mpsan_shm_use what, uint64_t name,
			   uint64_t caller);
void segment_not_used(enum mpsan_shm_use what, uint64_t stated);
static inline bool segment_is_own(const struct segment *segment)
{
	return segment->generation == segment_generation;
}

/* In a forked child. */
void segment_forked(void);
