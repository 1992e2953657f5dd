/*
 * The list that closes a report: what the pages on multiprocessing with PyTorch advise (practices.def),
 * each statement kept, violated or not observable. Neighbours: report.h, out_text.c.
 */
#ifndef MPSAN_PRACTICES_H
#define MPSAN_PRACTICES_H

#include <stdio.h>

#include "../findings/judge.h"

/*
 * Adds or renews `practices` of a document, after report_add() of the same judge. Without Python in any
 * session the list stays empty: the pages are about nothing else.
 */
void practices_add(json_t *document, const struct judge *judge);

/* All of the list, or what was violated, and a line that counts; or that line alone. Nothing for an empty list. */
void practices_print(FILE *out, const json_t *document, bool all);
void practices_print_count(FILE *out, const json_t *document);

#endif
