/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The location of a finding for tools that show source code: a line and a file, relative to the
 * root of the repository if it is inside. Python lines come first. Neighbours: out_sarif.c,
 * out_junit.c, out_github.c.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>

/* Finds locations, and caches what it has looked up in the file system. */
struct locator {
	/*
	 * The nearest directory with `.git` from the working directory upwards, else the working
	 * directory. Absolute, without a trailing slash.
	 */
	char *root;
	json_t *known; /* by path: the part below the root, or null */
};

void locator_init(struct locator *locator);
void locator_finish(struct locator *locator);

struct location {
	char *file; /* relative to the root, or absolute; NULL: unknown */
	bool inside; /* below the root */
	long long line; /* 0: unknown */
	const char *function; /* borrowed from the frame; may be NULL */
};

void location_finish(struct location *location);

/* False, with an empty location, if the frame names no existing file. */
bool location_of_frame(struct location *location, const struct locator *locator,
		       const json_t *frame);

/* The location of a step: the program's own code first, then libraries. */
bool location_of_step(struct location *location, const struct locator *locator, const json_t *step);

/*
 * The location of a finding: of its own thread if in the repository, else of any step in the
 * repository, else of any step, else the program's file, so that there always is one.
 */
bool location_of_finding(struct location *location, const struct locator *locator,
			 const json_t *finding, const json_t *command);

/*
 * The frame that represents the finding: that of its own thread's step, else the first one; may be
 * NULL.
 */
const json_t *location_frame(const json_t *finding);

/* The path for a URI, percent-encoded: "/a/b%20c" or "b%20c". The caller frees it. */
char *location_uri_path(const char *file);

/* "src/train.py:12", which the caller frees; NULL if the file is unknown. */
char *location_text(const struct location *location);
