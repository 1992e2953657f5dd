/*
 * A baseline: the findings that a team knows of and does not want to hear of again. A line is
 * FINGERPRINT [SEVERITY [RULE]], and behind a '#' what is for people. A fingerprint is known however often it is found,
 * but not when it is found with a worse severity than the line says; a line without one takes any. Neighbours: judge.h
 * asks, settle.h holds a whole report against it.
 */
#ifndef MPSAN_BASELINE_H
#define MPSAN_BASELINE_H

#include <jansson.h>

#include "../base/util.h"
#include "grades.h"

struct baseline_line {
	uint64_t fingerprint;
	enum grade grade;
	char *rule; /* "": not said */
	char *remark; /* behind the '#'; "": none */
	unsigned number;
	bool seen; /* found in this report */
};

struct baseline {
	char *file; /* NULL: there is none */
	ARRAY(struct baseline_line) line; /* by fingerprint */
};

/* NULL, or one line (owned by the caller) that says what is wrong; errno is 0 when that is the content. */
char *baseline_read(struct baseline *baseline, const char *file);
void baseline_finish(struct baseline *baseline);

/* The first line with this fingerprint, NULL: none. */
struct baseline_line *baseline_find(const struct baseline *baseline, const char *fingerprint);

/* Whether a finding with this fingerprint and grade is no news. */
bool baseline_knows(const struct baseline *baseline, const char *fingerprint, enum grade grade);

/* From now on this fingerprint is not known. */
void baseline_forget(const struct baseline *baseline, const char *fingerprint);

/* Takes the known findings out of a document, and says in it how many they were and which lines were in vain. */
void baseline_apply(struct baseline *baseline, json_t *document);

/* Writes the findings of a document; remarks that a baseline of this name has are kept. NULL, or what is wrong. */
char *baseline_write(const char *file, const json_t *document);

#endif
