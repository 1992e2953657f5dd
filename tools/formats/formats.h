/* The formats that a report is written in: out_*.c has one each. Neighbour: report.h, the document. */
#ifndef MPSAN_FORMATS_H
#define MPSAN_FORMATS_H

#include "../report/report.h"

/* What a format wants beside the document. */
enum { REPORT_TIMELINE = 1 };

struct report_format {
	const char *name;
	const char *help;
	int wants;
	void (*write)(FILE *out, const struct report *report);
};

/* The rows of formats.def, up to one without a name. */
extern const struct report_format report_formats[];

#define FORMAT(name, wants, help) void out_##name(FILE *out, const struct report *report);
#include "formats.def"
#undef FORMAT

struct report_target {
	const struct report_format *format;
	const char *file; /* "-": standard output; "stderr" */
};

/* Parses FORMAT=FILE. NULL, or one line (owned by the caller) that says what is wrong. */
char *report_target_parse(struct report_target *target, const char *value);

/* Writes it: a file appears whole or not at all. NULL, or what is wrong. */
char *report_write(const struct report_target *target, const struct report *report);

/* out_text.c: one finding; the summary that closes a report. */
void out_text_finding(FILE *out, const json_t *finding, const struct text_view *view);
/* Notes, a few of each rule; how many were left out is said. */
void out_text_notes(FILE *out, const json_t *document, const struct text_view *view);
void out_text_summary(FILE *out, const json_t *document);

#endif
