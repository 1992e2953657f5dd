/* Where something was seen, among the sessions of a report: in fields and in words. Neighbour: merge_sessions.h. */
#ifndef MPSAN_OCCURRENCE_H
#define MPSAN_OCCURRENCE_H

#include "report.h"

struct occurrence;

/* Of a report whose sources are all there; it must stay. */
struct occurrence *occurrence_create(const struct report *report);
void occurrence_destroy(struct occurrence *occurrence);

/* "on 63 of 64 ranks: not on 17". `sources` are numbers of sources; owned by the caller. */
char *occurrence_words(const struct occurrence *occurrence, const json_t *sources);

/* Adds `spread`, `hosts` and `ranks` to a finding. */
void occurrence_finding(const struct occurrence *occurrence, json_t *finding,
			const json_t *sources);

/* Adds `host` of one source to a finding or process, and its `rank` where it has none of its own. */
void occurrence_name(json_t *object, const struct report_source *source);

#endif
