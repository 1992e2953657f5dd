/*
 * Suppressions: lines of SLUG:PATTERN that silence findings. A pattern is a shell pattern and
 * matches a function, a module (path or last part), "file:function" of Python, or the name of the
 * lock. Of several lines that fit, the first one counts as used. Neighbour: judge.h.
 */
#ifndef MPSAN_SUPPRESS_H
#define MPSAN_SUPPRESS_H

#include <jansson.h>
#include <stdbool.h>

#include "../base/util.h"

struct suppression {
	char *slug; /* or "*" */
	char *pattern;
	char *file; /* where it stands */
	unsigned number;
	bool used; /* it has silenced a finding */
};

struct suppressions {
	ARRAY(struct suppression) line;
};

/* NULL, or one line (owned by the caller) that says what is wrong. */
char *suppressions_read(struct suppressions *suppressions, const char *file);
void suppressions_finish(struct suppressions *suppressions);

/* Whether a line silences this finding; that line is marked as used. */
bool suppressions_match(const struct suppressions *suppressions, const json_t *finding);

#endif
