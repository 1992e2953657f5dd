/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A per-call-site cache of stacks and Python frames, for frequent events. A call site is identified
 * by a hash of the Python frames. stack.h and python.h take a stack every time.
 */
#pragma once

#include <stdint.h>

/* Positions of records; 0: none. */
struct where {
	uint64_t stack, python;
};

/*
 * The stack and Python frames of the calling thread. Without Python frames a call site is just its
 * caller's address: then only a few stacks are recorded for each.
 */
struct where callsite_now(uint64_t caller);

/* Empties the cache: in a forked child, whose positions are those of its parent's log, and after a dlclose. */
void callsite_forget(void);
