/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unwritten stdio data at a fork: both copies of the buffer may be written. At a fork the streams
 * with pending bytes are noted, at most STDIO_STREAMS; the child records those that it flushes,
 * closes, or leaves to its exit. See fork.c, life.c; hooks/stream.c calls.
 */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "../intercept/hook.h"

#define STDIO_STREAMS 16u

/* In a child: the number of streams with its parent's bytes that it has not been seen to write. */
extern uint32_t stdio_left;

/* Around a fork: before it, first thing in its child, and after it in the parent. */
void stdio_before_fork(unsigned how); /* enum mpsan_how */
void stdio_forked(bool child);

/* A stream (NULL: all of them) is about to be written. */
void stdio_written(FILE *stream, uint64_t caller);

static inline void stdio_flushes(FILE *stream, uint64_t caller)
{
	if (UNLIKELY(stdio_left))
		stdio_written(stream, caller);
}
