/*
 * The report: one JSON document, and the formats that it is written in. Neighbours: judge.h gives
 * the findings, limits.c what could not be seen, out_*.c one format each.
 */
#ifndef MPSAN_REPORT_H
#define MPSAN_REPORT_H

#include <stdio.h>

#include "judge.h"
#include "timeline.h"

#define MPSAN_VERSION "0.1.0"

/* One session of a report. */
struct report_source {
	char *dir;
	char *host; /* NULL: not recorded */
	char *rank; /* of the job, in digits; NULL: it has none, or several ranks live in the session */
	int64_t skew_ns; /* by which the host's clock is ahead of that of the first session */
	uint64_t uncertainty_ns; /* of the skew; REPORT_UNCERTAIN: not known */
	struct mpsan_host facts; /* as recorded */
};
#define REPORT_UNCERTAIN UINT64_MAX

struct fold;

/* What there is to be written. */
struct report {
	json_t *document; /* owned */
	struct timeline *timeline; /* NULL unless a format wants it */
	ARRAY(struct report_source) source;
	struct fold *fold; /* fold.h: of several sessions; NULL until the first is added */
	const struct grades *grades; /* borrowed: which rules were asked for; NULL: not known */
	enum grade fail_on; /* GRADE_OFF: nothing fails */
};

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

/* How the command ended; for a recorded session this is what the log says of its first process. */
struct report_exit {
	int code; /* -1: unknown or killed by a signal */
	int signal; /* 0: none */
};

json_t *report_exit_json(const struct report_exit *end);

/* A new, empty document. `command` is borrowed: an array of strings, or NULL. */
json_t *report_create(json_t *command, const struct report_exit *end);

/* Frees what a report owns. */
void report_finish(struct report *report);

/* Adds what one session has to say, the only one of the document; fold.h has more. */
void report_add(json_t *document, const struct judge *judge);

/* How many findings of a document have that severity. */
unsigned report_count(const json_t *document, const char *severity);

/* The worst grade among the findings of a document. */
enum grade report_worst(const json_t *document);

/* Adds one line to `limits`. */
void report_limit(json_t *document, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* limits.c: what this session could not see. */
void limits_add(json_t *document, const struct judge *judge);

/* processes.c: the entry of one process; NULL for a slot without one. */
json_t *process_json(const struct reader *reader, uint32_t slot);
json_t *process_argv(const struct mpsan_process *process);

/* NULL when the process was watched to its end, else why not; owned by the caller. */
char *process_unwatched(const struct reader *reader, uint32_t slot);

/* out_text.c: one finding; the summary that closes a report. */
void out_text_finding(FILE *out, const json_t *finding);
/* Notes, a few of each rule; how many were left out is said. */
void out_text_notes(FILE *out, const json_t *document);
void out_text_summary(FILE *out, const json_t *document);

#endif
