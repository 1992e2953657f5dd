/*
 * Several sessions in one document: their findings folded by fingerprint, each with where it was seen; their times
 * moved to the clock of the first. Neighbours: report.h, hosts.h; occurrence.h has the words.
 */
#ifndef MPSAN_MERGE_SESSIONS_H
#define MPSAN_MERGE_SESSIONS_H

#include "report.h"

/* `document` is borrowed. */
struct merge_sessions *merge_sessions_create(json_t *document);
void merge_sessions_destroy(struct merge_sessions *merge);

/* Adds what one session has to say. `source` is its number among those of the report, and `skew_ns` its clock's. */
void merge_sessions_add(struct merge_sessions *merge, uint32_t source, int64_t skew_ns,
			const struct judge *judge);

/* The session of that number says how it ended: the worst end of all is that of the document. */
void merge_sessions_end(struct merge_sessions *merge, const json_t *command,
			const struct report_exit *end);

/*
 * Closes a document of several sessions: findings get `spread`, `hosts` and `ranks`, processes `host` and `rank`;
 * findings stand by grade and time, processes by their start. Nothing of that where there is one session.
 */
void merge_sessions_finish(struct report *report);

#endif
