/*
 * The report: one JSON document. Neighbours: judge.h gives the findings, limits.c what could not be
 * seen, formats.h writes it.
 */
#ifndef MPSAN_REPORT_H
#define MPSAN_REPORT_H

#include <stdio.h>

#include "../findings/judge.h"
#include "timeline.h"

/* One session of a report. */
struct report_source {
	char *dir;
	char *host; /* NULL: not recorded */
	/* of the job, in digits; NULL: it has none, or several ranks live in the session */
	char *rank;
	int64_t skew_ns; /* by which the host's clock is ahead of that of the first session */
	uint64_t uncertainty_ns; /* of the skew; REPORT_UNCERTAIN: not known */
	struct mpsan_host facts; /* as recorded */
};
#define REPORT_UNCERTAIN UINT64_MAX

struct merge_sessions;

/* How much a text report shows. */
struct text_view {
	bool verbose; /* all frames, native stacks too */
	bool practices; /* every best practice, not only the violated ones */
	enum { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER } colour;
};

/* What there is to be written. */
struct report {
	struct text_view view;
	json_t *document; /* owned */
	struct timeline *timeline; /* NULL unless a format wants it */
	ARRAY(struct report_source) source;
	struct merge_sessions
		*merge; /* merge_sessions.h: of several sessions; NULL until the first is added */
	const struct grades *grades; /* borrowed: which rules were asked for; NULL: not known */
	enum grade fail_on; /* GRADE_OFF: nothing fails */
};

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

/* Adds what one session has to say, the only one of the document; merge_sessions.h has more. */
void report_add(json_t *document, const struct judge *judge);

/* How many findings of a document have that severity. */
unsigned report_count(const json_t *document, const char *severity);

/* The worst grade among the findings of a document. */
enum grade report_worst(const json_t *document);

/* limits.c: what this session could not see. */
void limits_add(json_t *document, const struct judge *judge);

/* processes.c: the entry of one process; NULL for a slot without one. */
json_t *process_json(const struct reader *reader, uint32_t slot);
json_t *process_argv(const struct mpsan_process *process);

#endif
