/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hosts of a report: which session is whose, and how their clocks compare. Neighbours: host.h
 * and shim/record/session_dir.h write the data; merge_sessions.h merges the sessions.
 */
#pragma once

#include "../reader/session.h"
#include "report.h"

/* --skew HOST=SECONDS: how far the host's clock is ahead of common time. */
struct host_skew {
	const char *host; /* not NUL-terminated */
	size_t length;
	int64_t ns;
};

/* Returns NULL, or a one-line error that the caller frees. */
char *host_skew_parse(struct host_skew *skew, const char *value);

/* Adds a session to the report's sources. */
void hosts_add(struct report *report, const struct session *session);

/*
 * Computes each source's clock offset from the first one; call it when all sources are added.
 * Returns NULL, or an error about `skews` that the caller frees.
 */
char *hosts_compare(struct report *report, const struct host_skew *skews, uint32_t count);

/* The entry of a source in the document's `hosts`. */
json_t *hosts_json(const struct report_source *source, const json_t *command,
		   const struct report_exit *end);

/* Adds hosts with unknown clock offsets and missing ranks to `limits`. */
void hosts_limits(const struct report *report);
