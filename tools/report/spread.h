/* Where something was seen, among the sessions of a report: in fields and in words. Neighbour: fold.h. */
#ifndef MPSAN_SPREAD_H
#define MPSAN_SPREAD_H

#include "report.h"

struct spread;

/* Of a report whose sources are all there; it must stay. */
struct spread *spread_create(const struct report *report);
void spread_destroy(struct spread *spread);

/* "on 63 of 64 ranks: not on 17". `sources` are numbers of sources; owned by the caller. */
char *spread_words(const struct spread *spread, const json_t *sources);

/* Adds `spread`, `hosts` and `ranks` to a finding. */
void spread_finding(const struct spread *spread, json_t *finding, const json_t *sources);

/* Adds `host` of one source to a finding or process, and its `rank` where it has none of its own. */
void spread_name(json_t *object, const struct report_source *source);

#endif
