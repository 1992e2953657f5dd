/*
 * Which sessions a report is about: those that were named, and those one level down in a directory that was. Neighbours:
 * recorded.h, hosts.h.
 */
#ifndef MPSAN_FIND_SESSIONS_H
#define MPSAN_FIND_SESSIONS_H

#include "report.h"

struct found_sessions {
	ARRAY(char *) broken; /* one line for each that was found, not named, and cannot be read */
};

/*
 * Makes the sessions of `dirs` (up to NULL) the sources of a report. Returns 0, or STATUS_USAGE after a complaint: a
 * session that was named must be readable, and of those found at least one.
 */
int find_sessions(char **dirs, struct found_sessions *found_sessions, struct report *report);
void found_finish(struct found_sessions *found_sessions);

#endif
