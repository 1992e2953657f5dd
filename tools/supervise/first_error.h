/*
 * The line that `mpsan run` prints at once, at the first error: what stands still or went wrong, where, and what
 * to do about it. The story may be elsewhere (--report text=FILE), and comes later. Neighbour: watch.c.
 */
#ifndef MPSAN_FIRST_ERROR_H
#define MPSAN_FIRST_ERROR_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* What there is to know of the run; what a person can do with it differs. */
struct alert {
	const char *dir; /* of the session */
	uint64_t after_ns; /* since its start */
	bool is_wait; /* the finding proves a wait without end */
	bool is_killed; /* --on-deadlock=kill ends it now */
	bool is_over; /* nobody of the program is there any more */
};

/* The line, without its end; owned by the caller. */
char *first_error_text(const struct alert *alert, const json_t *finding);

#endif
