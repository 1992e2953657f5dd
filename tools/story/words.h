/*
 * The words of a story: texts by name, put in the place of their names in braces. Neighbours: story.h,
 * story_cuda.h.
 */
#ifndef MPSAN_WORDS_H
#define MPSAN_WORDS_H

#include <jansson.h>

/* Takes over the text; NULL becomes "?". */
void words_set(json_t *words, const char *name, char *text);

/* The text with every {name} replaced, as a new JSON string. */
json_t *words_fill(const json_t *words, const char *text);

#endif
