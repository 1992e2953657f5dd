/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares a finished report with what a team has accepted: known findings (baseline) and
 * suppressions. Neighbours: baseline.h, suppress.h; the cmd_*.c files call it before they write.
 */
#pragma once

#include "options.h"

/*
 * Writes the baseline if asked to, removes known findings from the document, adds unused baseline
 * lines and suppressions to its limits, and the project file to `tool`. Returns 0, or STATUS_USAGE
 * after an error line.
 */
int gate(struct settings *settings, json_t *document);
