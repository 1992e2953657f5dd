/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The report: one JSON document. Neighbours: judge.h supplies the findings, limits.c what could not
 * be observed, formats.h writes it.
 */
#pragma once

#include "../findings/judge.h"
#include "timeline.h"

/* A session of a report. */
struct report_source {
	char *dir;
	char *host; /* NULL: not recorded */
	/* the job's rank, in digits; NULL: none, or several ranks in one session */
	char *rank;
	int64_t skew_ns; /* how far the host's clock is ahead of the first session's */
	uint64_t uncertainty_ns; /* of the skew; REPORT_UNCERTAIN: unknown */
	struct mpsan_host facts; /* as recorded */
};
#define REPORT_UNCERTAIN UINT64_MAX

struct merge_sessions;

/* How much a text report shows. */
struct text_view {
	bool verbose; /* show all frames, native stacks too */
	bool practices; /* list every best practice, not only the violated ones */
	enum { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER } colour;
};

/* A report ready to be written. */
struct report {
	struct text_view view;
	json_t *document; /* owned */
	char *picture; /* owned: what is printed below the triage as it is; NULL: nothing */
	struct timeline *timeline; /* NULL unless a format draws it */
	ARRAY(struct report_source) source;
	struct merge_sessions
		/* see merge_sessions.h: for several sessions; NULL until the first is added */
		*merge;
	const struct grades *grades; /* borrowed: which rules are on; NULL: unknown */
	enum grade fail_on; /* GRADE_OFF: no finding fails the run */
};

/* How the command ended; for a recorded session, as its log says of the first process. */
struct report_exit {
	int code; /* -1: unknown or killed by a signal */
	int signal; /* 0: none */
};

json_t *report_exit_json(const struct report_exit *end);

/* Creates an empty document. `command` is borrowed: an array of strings, or NULL. */
json_t *report_create(json_t *command, const struct report_exit *end);

/* Frees what a report owns. */
void report_finish(struct report *report);

/* Adds a session to a document of one session; merge_sessions.h handles several. */
void report_add(json_t *document, const struct judge *judge);

/* Counts the findings of a document with that severity. */
unsigned report_count(const json_t *document, const char *severity);

/* The worst grade among the findings of a document. */
enum grade report_worst(const json_t *document);

/* limits.c: adds what could not be observed in this session. */
void limits_add(json_t *document, const struct judge *judge);

/* processes.c: the entry of one process; NULL if the slot has none. */
json_t *process_json(const struct reader *reader, uint32_t slot);
json_t *process_argv(const struct mpsan_process *process);
