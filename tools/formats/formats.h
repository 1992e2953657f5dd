/* SPDX-License-Identifier: Apache-2.0 */
/* The formats of a report: out_*.c has one each. Neighbour: report.h, the document. */
#pragma once

#include "../report/report.h"

/* What a format needs besides the document. */
enum { REPORT_TIMELINE = 1 };

struct report_format {
	const char *name;
	const char *help;
	int wants;
	void (*write)(FILE *out, const struct report *report);
};

/* The rows of formats.def, terminated by one without a name. */
extern const struct report_format report_formats[];

#define FORMAT(name, wants, help) void out_##name(FILE *out, const struct report *report);
#include "formats.def"
#undef FORMAT

struct report_target {
	const struct report_format *format;
	const char *file; /* "-": standard output; "stderr" */
};

/* Parses FORMAT=FILE. Returns NULL, or a one-line error that the caller frees. */
char *report_target_parse(struct report_target *target, const char *value);

/* Whether its file could be written. Returns NULL, or an error that the caller frees. */
char *report_target_check(const struct report_target *target);

/* Whether it is a file that appears complete or not at all: no stream, link, pipe or device. */
bool report_target_is_plain(const struct report_target *target);

/*
 * Writes a report; a file appears complete or not at all. Returns NULL, or an error that the caller
 * frees.
 */
char *report_write(const struct report_target *target, const struct report *report);

/*
 * out_text.c: prints one finding; what became of one that was printed before; prints the summary at
 * the end of a report.
 */
void out_text_finding(FILE *out, const json_t *finding, const struct text_view *view);
void out_text_outcome(FILE *out, const json_t *finding);
/* Prints notes, a few of each rule, and how many were omitted. */
void out_text_notes(FILE *out, const json_t *document, const struct text_view *view);
void out_text_summary(FILE *out, const json_t *document);
