/* Judges recorded sessions. Neighbours: cmd_report.c and cmd_check.c. */
#ifndef MPSAN_RECORDED_H
#define MPSAN_RECORDED_H

#include "options.h"

/*
 * Makes one document of the sessions in `dirs` (up to NULL). Returns 0, or STATUS_USAGE after a
 * complaint.
 */
int recorded_judge(const struct settings *settings, char **dirs, json_t **document);

/* Writes a document to every target, or as text on standard error. */
int recorded_write(const struct settings *settings, const json_t *document);

#endif
