/*
 * One line on the terminal while a large session is read and judged: rewritten, erased before anything else is
 * printed, and only where standard error is a terminal. One for the whole command, as the terminal is one.
 * Neighbours: recorded.c and out_otlp.c begin and end it; collect.c, judge.c and dump.c say how far they are.
 */
#ifndef MPSAN_PROGRESS_H
#define MPSAN_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

extern bool progress_is_on;
extern uint64_t (*progress_clock)(int clock); /* clock_ns(), but in tests */

/* From now on what is read is the session in `dir`; it is shown when a second has passed since the first of them. */
void progress_begin(const char *dir);
void progress_end(void);

/* What is done now, and how much there is of it. */
void progress_phase(const char *what, uint64_t total);

/* What was gone through is gone through once more, for this. */
void progress_again(const char *what);

/* So much more of it was done. */
void progress_advance(uint64_t amount);
static inline void progress_step(uint64_t amount)
{
	if (__builtin_expect(progress_is_on, false))
		progress_advance(amount);
}

#endif
