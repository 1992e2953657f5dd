/* Judges recorded sessions. Neighbours: cmd_report.c and cmd_check.c. */
#ifndef MPSAN_OFFLINE_H
#define MPSAN_OFFLINE_H

#include "options.h"

/*
 * Makes one report of the sessions in `dirs` (up to NULL), each a session or a directory of several. Returns 0, or
 * STATUS_USAGE after a complaint.
 */
int offline_judge(const struct settings *settings, char **dirs, struct report *report);

/* Adds a judged session to a report: its place among the sources, and its time line where a format wants one. */
void offline_add(const struct settings *settings, const struct judge *judge,
		 const struct report_exit *end, struct report *report);

/*
 * Writes a report to every target, or as text on standard error. One that cannot be written keeps none of the others
 * from it: the run may have been long. Returns 0, or STATUS_USAGE after a complaint for each that failed.
 */
int offline_write(const struct settings *settings, const struct report *report);

/*
 * Holds a report against what is settled and writes it, also where the baseline cannot be written. Returns the exit
 * status.
 */
int offline_conclude(struct settings *settings, const struct report *report);

#endif
