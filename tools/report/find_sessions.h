/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sessions of a report: those named, and those one level below a named directory. Neighbours:
 * offline.h, hosts.h.
 */
#pragma once

#include "report.h"

struct found_sessions {
	ARRAY(char *) broken; /* one line for each session that was found but cannot be read */
};

/*
 * Makes the sessions of `dirs` (NULL-terminated) the sources of a report. A named session must be
 * readable, and at least one of those found below a directory. Returns 0, or STATUS_USAGE after an
 * error line.
 */
int find_sessions(char **dirs, struct found_sessions *found_sessions, struct report *report);
void found_finish(struct found_sessions *found_sessions);
