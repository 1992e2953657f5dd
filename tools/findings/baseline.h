/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A baseline: the findings that a team has accepted. A line is FINGERPRINT [SEVERITY [RULE]], and
 * after a '#' a remark. A finding is known however often it occurs, unless it is more severe than
 * its line says; a line without a severity accepts any. Neighbours: judge.h looks findings up,
 * gate.h applies the baseline to a report.
 */
#pragma once

#include <jansson.h>

#include "../base/util.h"
#include "grades.h"

struct baseline_line {
	uint64_t fingerprint;
	enum grade grade;
	char *rule; /* "": not given */
	char *remark; /* after the '#'; "": none */
	unsigned number;
	bool seen; /* found in this report */
};

struct baseline {
	char *file; /* NULL: no baseline */
	ARRAY(struct baseline_line) line; /* by fingerprint */
};

/*
 * Returns NULL, or a one-line error that the caller frees; errno is 0 if the content is at fault.
 */
char *baseline_read(struct baseline *baseline, const char *file);
void baseline_finish(struct baseline *baseline);

/* The first line with this fingerprint; NULL if there is none. */
struct baseline_line *baseline_find(const struct baseline *baseline, const char *fingerprint);

/* Whether the baseline accepts a finding with this fingerprint and grade. */
bool baseline_knows(const struct baseline *baseline, const char *fingerprint, enum grade grade);

/* Removes this fingerprint, so that its finding counts as new. */
void baseline_forget(const struct baseline *baseline, const char *fingerprint);

/*
 * Removes the known findings from a document, and adds to its limits how many they were and which
 * lines matched nothing.
 */
void baseline_apply(struct baseline *baseline, json_t *document);

/*
 * Writes a baseline of a document's findings, and keeps the remarks of an existing one. Returns
 * NULL or an error that the caller frees.
 */
char *baseline_write_check(const char *file); /* before there is a document */
char *baseline_write(const char *file, const json_t *document);
