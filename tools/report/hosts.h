/*
 * The hosts of a report: whose session each is, and how their clocks compare. Neighbours: host.h and shim/record/host.h
 * wrote what is read here; merge_sessions.h puts the sessions together.
 */
#ifndef MPSAN_HOSTS_H
#define MPSAN_HOSTS_H

#include "../reader/session.h"
#include "report.h"

/* --skew HOST=SECONDS: the host's clock is ahead of the common time by so much. */
struct host_skew {
	const char *host; /* not NUL-terminated */
	size_t length;
	int64_t ns;
};

/* NULL, or one line (owned by the caller) that says what is wrong. */
char *host_skew_parse(struct host_skew *skew, const char *value);

/* Adds a source: whose session it is. */
void hosts_add(struct report *report, const struct session *session);

/*
 * Once all sources are there: how far each one's clock is ahead of the first's. NULL, or what is wrong with the given
 * skews (owned by the caller).
 */
char *hosts_compare(struct report *report, const struct host_skew *skews, uint32_t count);

/* The entry of a source in the document's `hosts`. */
json_t *hosts_json(const struct report_source *source, const json_t *command,
		   const struct report_exit *end);

/* Adds to `limits`: clocks that nobody compared, ranks without a session. */
void hosts_limits(const struct report *report);

#endif
