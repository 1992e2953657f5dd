/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Merges several sessions into one document: findings are folded by fingerprint, with the sessions
 * they were seen in; timestamps are converted to the first host's clock. Neighbours: report.h,
 * hosts.h; occurrence.h has the texts.
 */
#pragma once

#include "report.h"

/* `document` is borrowed. */
struct merge_sessions *merge_sessions_create(json_t *document);
void merge_sessions_destroy(struct merge_sessions *merge);

/*
 * Adds what one session contributed. `source` is its index in the report, `skew_ns` its clock's
 * offset.
 */
void merge_sessions_add(struct merge_sessions *merge, uint32_t source, int64_t skew_ns,
			const struct judge *judge);

/* Sets how that session ended; the document gets the worst end of all. */
void merge_sessions_end(struct merge_sessions *merge, const json_t *command,
			const struct report_exit *end);

/*
 * Finishes a document of several sessions: findings get `spread`, `hosts` and `ranks`, processes
 * `host` and `rank`; findings are sorted by grade and time, processes by their start. Does nothing
 * for a single session.
 */
void merge_sessions_finish(struct report *report);
