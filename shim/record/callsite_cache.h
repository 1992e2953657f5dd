/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the calling thread is, for events that a program makes by the thousand: its stack and Python
 * frames are taken once for each place, and a place is known by a look at the frames. Neighbours:
 * stack.h and python.h, which take them every time.
 */
#ifndef MPSAN_CALLSITE_CACHE_H
#define MPSAN_CALLSITE_CACHE_H

#include <stdint.h>

/* Positions of records, 0: none. */
struct where {
	uint64_t stack, python;
};

/*
 * Without Python frames a place is its caller's address only: then a few stacks are taken of each, and
 * none after that.
 */
struct where callsite_now(uint64_t caller);

/* A forked child begins: those positions are of its parent's log. */
void callsite_forked(void);

#endif
