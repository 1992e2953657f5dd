/* See nearest.h. */
#include "nearest.h"

#include <string.h>

#include "util.h"

#define WORD_MAX 48u

static unsigned least(unsigned a, unsigned b, unsigned c)
{
	a = a < b ? a : b;
	return a < c ? a : c;
}

/* Levenshtein's distance, by one row of its table at a time. */
static unsigned distance_of(const char *one, size_t length, const char *other)
{
	unsigned row[WORD_MAX + 1];

	for (size_t i = 0; i <= length; i++)
		row[i] = (unsigned)i;
	for (size_t k = 0; other[k]; k++) {
		unsigned corner = row[0];

		row[0] = (unsigned)k + 1;
		for (size_t i = 1; i <= length; i++) {
			unsigned above = row[i];

			row[i] =
				least(row[i - 1] + 1, above + 1, corner + (one[i - 1] != other[k]));
			corner = above;
		}
	}
	return row[length];
}

void nearest_offer(struct nearest *nearest, const char *name)
{
	unsigned distance;

	if (nearest->length > WORD_MAX)
		return;
	distance = distance_of(nearest->word, nearest->length, name);
	if (nearest->best && distance >= nearest->distance)
		return;
	nearest->best = name;
	nearest->distance = distance;
}

char *nearest_hint(const struct nearest *nearest)
{
	if (!nearest->best || nearest->distance * 3 > nearest->length + 1)
		return text_copy("");
	return text_format("; did you mean %s?", nearest->best);
}
