/*
 * Where a finding is, as tools that show source code want to know it: a file, relative to the root of the repository
 * where it lies in it, and a line. Python lines come first. Neighbours: out_sarif.c, out_junit.c, out_github.c.
 */
#ifndef MPSAN_LOCATION_H
#define MPSAN_LOCATION_H

#include <jansson.h>
#include <stdbool.h>

/* Finds places; it remembers what it has looked for in the file system. */
struct locator {
	/*
	 * The directory with `.git` that is the working directory or the nearest above it, else the working directory
	 * itself. Absolute, without a slash at its end.
	 */
	char *root;
	json_t *known; /* by path: what it is below the root, or null */
};

void locator_init(struct locator *locator);
void locator_finish(struct locator *locator);

struct location {
	char *file; /* relative to the root, or absolute; NULL: no file is known */
	bool inside; /* the root */
	long long line; /* 0: not known */
	const char *function; /* borrowed from the frame; NULL */
};

void location_finish(struct location *location);

/* False, with an empty location, when the frame names no file that anybody could open. */
bool location_of_frame(struct location *location, const struct locator *locator,
		       const json_t *frame);

/* The place of a step of the evidence: where the program's own code is, before that of others. */
bool location_of_step(struct location *location, const struct locator *locator, const json_t *step);

/*
 * The place of a finding: of the thread that it speaks of, if that is in the repository; of any step that is; of any
 * step; at last the program's file, so that there always is one.
 */
bool location_of_finding(struct location *location, const struct locator *locator,
			 const json_t *finding, const json_t *command);

/* The frame that stands for the finding: that of the step in which its own thread acts, else the first; NULL. */
const json_t *location_frame(const json_t *finding);

/* As the path of a URI, percent-encoded: "/a/b%20c" or "b%20c". Owned by the caller. */
char *location_uri_path(const char *file);

/* "src/train.py:12"; NULL where no file is known. Owned by the caller. */
char *location_text(const struct location *location);

#endif
