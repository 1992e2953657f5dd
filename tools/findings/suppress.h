/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Suppressions: lines of SLUG:PATTERN that silence findings. A pattern is a shell pattern and
 * matches a function, a module (path or file name), "file:function" of Python, or the name of the
 * lock. If several lines match, the first one counts as used. Neighbour: judge.h.
 */
#pragma once

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

/* Returns NULL, or a one-line error that the caller frees. */
char *suppressions_read(struct suppressions *suppressions, const char *file);
void suppressions_finish(struct suppressions *suppressions);

/* The line that suppresses this finding, marked as used; NULL: none. */
const struct suppression *suppressions_match(const struct suppressions *suppressions,
					     const json_t *finding);

/* The two halves of a match: its rule, and its pattern. */
bool suppression_is_of(const struct suppression *line, const json_t *finding);
bool suppression_fits(const struct suppression *line, const json_t *finding);

/*
 * suppress_near.c: what an unused line may have meant among these findings: " (did you mean Client.ask?)", or "". The caller frees it.
 */
char *suppression_near(const struct suppression *line, const json_t *findings);
