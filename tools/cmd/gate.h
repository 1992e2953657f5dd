/*
 * What a team has settled, held against a finished report: which findings it knows of, which suppressions were in vain.
 * Neighbours: baseline.h, suppress.h; the cmd_*.c files call it before they write.
 */
#ifndef MPSAN_GATE_H
#define MPSAN_GATE_H

#include "options.h"

/*
 * Writes the baseline that was asked for, takes known findings out of the document, names lines that were never used
 * among its limits, and the project file in `tool`. 0, or STATUS_USAGE after a complaint.
 */
int gate(struct settings *settings, json_t *document);

#endif
