/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is known of this process's descriptors: a byte each, in private memory that a fork copies.
 * It is 0 for nearly all of them, so a hook on close, dup or read costs one load if there is
 * nothing to do. Bytes are hints: a descriptor that libc closed internally (freopen) keeps its byte
 * until the number is reused, so the kernel is asked (fstat, kcmp) before anything is recorded.
 * segment.h knows the shared memory of a descriptor, shared_ofd.h the open file descriptions that a
 * fork shares.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define DESCRIPTORS 65536u /* higher ones are not tracked */

enum descriptor_flags {
	DESCRIPTOR_SEGMENT = 1, /* shared memory: segment_of() knows which */
	DESCRIPTOR_READY = 2, /* a copy of one, waiting to be fetched by another process */
	/* connected to a process that serves such copies; none has arrived yet */
	DESCRIPTOR_PEER = 4,
	DESCRIPTOR_LISTENER = 8, /* bound to an address that other processes connect to */
	/* its offset does not matter: opened since the fork, a pipe, a device */
	DESCRIPTOR_APART = 16,
	DESCRIPTOR_READ_TOLD = 32, /* recorded since the last fork */
	DESCRIPTOR_WRITE_TOLD = 64,
	DESCRIPTOR_MOVE_TOLD = 128,
};

extern uint8_t descriptor_flags[DESCRIPTORS];

static inline uint8_t descriptor_known(int fd)
{
	return (uint32_t)fd < DESCRIPTORS ? descriptor_flags[fd] : 0;
}

/* The initial byte of a new descriptor: after a fork APART, because no other process shares it. */
extern uint8_t descriptor_fresh;

/*
 * descriptor_made: a call of the program (open, socket, dup) created a descriptor; what was known
 * of its number is forgotten. descriptor_gone: it is about to be closed. In a vfork child both do
 * nothing, because the table is its parent's.
 */
void descriptor_made_slow(int fd);
void descriptor_gone(int fd);

static inline void descriptor_made(int fd)
{
	if ((uint32_t)fd < DESCRIPTORS && descriptor_flags[fd] != descriptor_fresh)
		descriptor_made_slow(fd);
}

/* As descriptor_made, for a copy of another descriptor, which shares that one's offset. */
void descriptor_copied(int from, int to);

/* Sets or clears flags of a descriptor whose number is within bounds. */
void descriptor_mark(int fd, uint8_t flags);
void descriptor_unmark(int fd, uint8_t flags);

/* The highest known descriptor. */
extern uint32_t descriptor_highest;

/* After a fork, on both sides: uses of offsets may be recorded again. */
void descriptor_forked(bool child);
