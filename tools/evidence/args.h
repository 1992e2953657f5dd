/*
 * The words of a story: texts by name, put in the place of their names in braces. Neighbours: evidence.h,
 * evidence_cuda.h.
 */
#ifndef MPSAN_ARGS_H
#define MPSAN_ARGS_H

#include <jansson.h>

/* Takes over the text; NULL becomes "?". */
void args_set(json_t *args, const char *name, char *text);

/* The text with every {name} replaced, as a new JSON string. */
json_t *args_fill(const json_t *args, const char *text);

#endif
