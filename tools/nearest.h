/* The name that somebody may have meant who misspelt one. */
#ifndef MPSAN_NEAREST_H
#define MPSAN_NEAREST_H

#include <stddef.h>

struct nearest {
	const char *word;
	size_t length;
	const char *best; /* borrowed from nearest_offer */
	unsigned distance; /* of the best: letters to add, drop or change */
};

void nearest_offer(struct nearest *nearest, const char *name);

/* "; did you mean NAME?", or "" when none is near; owned by the caller. */
char *nearest_hint(const struct nearest *nearest);

#endif
