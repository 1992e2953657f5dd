/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The list at the end of a report: advice from PyTorch's multiprocessing documentation
 * (practices.def), each item kept, violated or not observable. Neighbours: report.h, out_text.c.
 */
#pragma once

#include <stdio.h>

#include "../findings/judge.h"

/*
 * Adds or updates `practices` of a document, after report_add() with the same judge. Without Python
 * in any session the list stays empty.
 */
void practices_add(json_t *document, const struct judge *judge);

/*
 * Prints the whole list, or the violated items of a program that has loaded torch, and a summary line; nothing if there are
 * none.
 */
void practices_print(FILE *out, const json_t *document, bool all);
