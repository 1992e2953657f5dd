/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is known of this process's descriptors: a byte each, in private memory that a fork copies. 0:
 * nothing is, which is so for nearly all of them, so a hook on close, dup or read costs one load where
 * nothing is to be done. Bytes are hints: a descriptor that libc closed by itself (freopen) keeps its
 * byte until it is made again, so the kernel is asked (fstat, kcmp) before anything is stated.
 * Neighbours: segment.h knows the shared memory behind a descriptor, shared_ofd.h the open files that a
 * fork made common.
 */
#ifndef MPSAN_DESCRIPTOR_H
#define MPSAN_DESCRIPTOR_H

#include <stdbool.h>
#include <stdint.h>

#define DESCRIPTORS 65536u /* those above are not followed */

enum descriptor_flags {
	DESCRIPTOR_SEGMENT = 1, /* shared memory: segment_of() knows which */
	DESCRIPTOR_READY = 2, /* a copy of such a one that waits to be fetched by another process */
	DESCRIPTOR_PEER = 4, /* connected to where such copies are handed out; none has come yet */
	DESCRIPTOR_LISTENER = 8, /* bound where others connect to */
	/* its offset is of no interest: opened since the fork, a pipe, a device */
	DESCRIPTOR_APART = 16,
	DESCRIPTOR_READ_TOLD = 32, /* stated since the last fork */
	DESCRIPTOR_WRITE_TOLD = 64,
	DESCRIPTOR_MOVE_TOLD = 128,
};

extern uint8_t descriptor_flags[DESCRIPTORS];

static inline uint8_t descriptor_known(int fd)
{
	return (uint32_t)fd < DESCRIPTORS ? descriptor_flags[fd] : 0;
}

/* What a descriptor is that was made just now: after a fork it is APART, since no other process has it. */
extern uint8_t descriptor_fresh;

/*
 * A descriptor was made by a call of the program (open, socket, dup): what its number meant before is
 * forgotten. And it was closed, or will be: to be called before the real close. In a vfork child both
 * do nothing, since the table is its parent's.
 */
void descriptor_made_slow(int fd);
void descriptor_gone(int fd);

static inline void descriptor_made(int fd)
{
	if ((uint32_t)fd < DESCRIPTORS && descriptor_flags[fd] != descriptor_fresh)
		descriptor_made_slow(fd);
}

/* The same for a copy of another descriptor, which has that one's offset. */
void descriptor_copied(int from, int to);

/* Puts flags in, or takes them out, for a descriptor whose number is within bounds. */
void descriptor_mark(int fd, uint8_t flags);
void descriptor_unmark(int fd, uint8_t flags);

/* No descriptor that is known of is higher. */
extern uint32_t descriptor_highest;

/* After a fork, on both sides: what was told of offsets may be told again. */
void descriptor_forked(bool child);

#endif
