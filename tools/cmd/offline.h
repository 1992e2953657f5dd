/* SPDX-License-Identifier: Apache-2.0 */
/* Judges recorded sessions. Neighbours: cmd_report.c and cmd_check.c. */
#pragma once

#include "options.h"

/*
 * Before what may take long: whether every target of the report could be written. Returns 0, or STATUS_USAGE after an
 * error line for the first that could not.
 */
int offline_check(const struct settings *settings);

/*
 * Makes one report of `dirs` (NULL-terminated), each a session or a directory of sessions. Returns
 * 0, or STATUS_USAGE after an error line.
 */
int offline_judge(const struct settings *settings, char **dirs, struct report *report);

/*
 * Adds a judged session to a report: its entry in `sources`, and its timeline if a format draws
 * one.
 */
void offline_add(const struct settings *settings, const struct judge *judge,
		 const struct report_exit *end, struct report *report);

/*
 * Writes a report to every target, or as text to standard output. All targets are tried, even if one
 * fails. Returns 0, or STATUS_USAGE after an error line for each failure.
 */
int offline_write(const struct settings *settings, const struct report *report);

/*
 * Applies the gate and writes the report, even if the baseline cannot be written. Returns the exit
 * status.
 */
int offline_conclude(struct settings *settings, const struct report *report);

/* All of these in turn, unless `status` is not 0. Ends the settings, and returns the exit status. */
int offline_run(struct settings *settings, char **dirs, int status);
