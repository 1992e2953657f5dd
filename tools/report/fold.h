/*
 * Several sessions in one document: their findings folded by fingerprint, each with where it was seen; their times
 * moved to the clock of the first. Neighbours: report.h, hosts.h; spread.h has the words.
 */
#ifndef MPSAN_FOLD_H
#define MPSAN_FOLD_H

#include "report.h"

/* `document` is borrowed. */
struct fold *fold_create(json_t *document);
void fold_destroy(struct fold *fold);

/* Adds what one session has to say. `source` is its number among those of the report, and `skew_ns` its clock's. */
void fold_add(struct fold *fold, uint32_t source, int64_t skew_ns, const struct judge *judge);

/* The session of that number says how it ended: the worst end of all is that of the document. */
void fold_end(struct fold *fold, const json_t *command, const struct report_exit *end);

/*
 * Closes a document of several sessions: findings get `spread`, `hosts` and `ranks`, processes `host` and `rank`;
 * findings stand by grade and time, processes by their start. Nothing of that where there is one session.
 */
void fold_finish(struct report *report);

#endif
