/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks names by their edit distance to a mistyped one. */
#include "suggest.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "util.h"

#define LONGEST 64u
#define SHOWN 3

static unsigned suggest_least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

static bool is_same(char one, char other)
{
	return tolower((unsigned char)one) == tolower((unsigned char)other);
}

/*
 * Damerau-Levenshtein distance: insertions, deletions, substitutions and transpositions of
 * neighbours.
 */
static unsigned suggest_distance(const char *from, const char *to)
{
	unsigned rows[3][LONGEST + 1], *before = rows[0], *above = rows[1], *row = rows[2];
	size_t width = strlen(to);

	for (size_t j = 0; j <= width; j++)
		above[j] = (unsigned)j;
	for (size_t i = 1; i <= strlen(from); i++) {
		unsigned *spare = before;

		row[0] = (unsigned)i;
		for (size_t j = 1; j <= width; j++) {
			row[j] = suggest_least(suggest_least(above[j], row[j - 1]) + 1,
					       above[j - 1] + !is_same(from[i - 1], to[j - 1]));
			if (i > 1 && j > 1 && is_same(from[i - 1], to[j - 2]) &&
			    is_same(from[i - 2], to[j - 1]))
				row[j] = suggest_least(row[j], before[j - 2] + 1);
		}
		before = above;
		above = row;
		row = spare;
	}
	return above[width];
}

/* Up to a third of the letters may be wrong; a name that contains the word is near as well. */
static unsigned farness(const char *wrong, const char *name)
{
	size_t length = strlen(wrong);
	unsigned far;

	if (!length || length > LONGEST || strlen(name) > LONGEST)
		return LONGEST;
	far = suggest_distance(wrong, name);
	if (far <= (length + 2) / 3)
		return far;
	return length > 2 && strcasestr(name, wrong) ? (unsigned)length : LONGEST;
}

char *suggest_names(const char *wrong, const char *(*name)(size_t number))
{
	const char *found[SHOWN] = {NULL};
	unsigned far[SHOWN];
	char *text = text_copy("");
	int count = 0;

	for (size_t number = 0; name(number); number++) {
		unsigned new = farness(wrong, name(number));
		int at = count;

		while (at > 0 && new < far[at - 1])
			at--;
		if (new == LONGEST || at == SHOWN)
			continue;
		count += count < SHOWN;
		memmove(found + at + 1, found + at, (count - at - 1) * sizeof(*found));
		memmove(far + at + 1, far + at, (count - at - 1) * sizeof(*far));
		found[at] = name(number);
		far[at] = new;
	}
	for (int i = 0; i < count; i++)
		text = text_join(text, ", ", text_copy(found[i]));
	if (count)
		text = text_join(text_join(text_copy(" (did you mean "), "", text), "",
				 text_copy("?)"));
	return text;
}
