/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One progress line on the terminal while a large session is read and judged, or a program examined. It is erased before
 * anything else is printed, and appears only if standard error is a terminal. There is one per
 * command. Neighbours: offline.c, out_otlp.c and cmd_attach.c begin and end it; collect.c, judge.c and dump.c
 * advance it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

extern bool progress_is_on;
extern uint64_t (*progress_clock)(int clock); /* clock_ns(); tests replace it */

/* Starts with the session in `dir`. The line appears one second after the first call. */
void progress_begin(const char *dir);
/* The same with anything else, and its first phase. */
void progress_begin_with(const char *subject, const char *what, uint64_t total);
void progress_end(void);

/* Starts a phase, called `what`, of `total` units. */
void progress_phase(const char *what, uint64_t total);

/* Starts a phase that goes through the previous phase's units again. */
void progress_again(const char *what);

/* Adds `amount` to what the phase has done. */
void progress_advance(uint64_t amount);
static inline void progress_step(uint64_t amount)
{
	if (__builtin_expect(progress_is_on, false))
		progress_advance(amount);
}
