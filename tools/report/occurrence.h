/* SPDX-License-Identifier: Apache-2.0 */
/*
 * On which hosts, ranks or sessions of a report something was seen, as fields and as text.
 * Neighbour: merge_sessions.h.
 */
#pragma once

#include "report.h"

struct occurrence;

/* Call it when all sources of the report are added; the report must outlive the result, which the caller frees. */
struct occurrence *occurrence_create(const struct report *report);

/* "on 63 of 64 ranks: not on 17", which the caller frees. `sources` are indices of sources. */
char *occurrence_words(const struct occurrence *occurrence, const json_t *sources);

/* Adds `spread`, `hosts` and `ranks` to a finding. */
void occurrence_finding(const struct occurrence *occurrence, json_t *finding,
			const json_t *sources);

/* Adds the `host` of a source to a finding or process, and its `rank` if the object has none. */
void occurrence_name(json_t *object, const struct report_source *source);
