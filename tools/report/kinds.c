/* SPDX-License-Identifier: Apache-2.0 */
/* Names kinds of standstills, and prints the triage. */
#include "kinds.h"

#include <string.h>

#include "../base/jsontext.h"
#include "../base/line.h"

#define LINES_MAX 4u /* the JSON has all */

static const struct {
	const char *name, *head;
} kinds[] = {
#define KIND(name, head, meaning) {#name, head},
#include "kinds.def"
#undef KIND
};

const char *kind_name(enum kind kind)
{
	return kinds[kind].name;
}

const char *kind_head(enum kind kind)
{
	return kinds[kind].head;
}

enum kind kind_find(const char *name)
{
	for (enum kind kind = 0; kind < KIND_COUNT; kind++)
		if (!strcmp(kinds[kind].name, name))
			return kind;
	return KIND_unknown;
}

bool kind_is_told(enum kind first, enum kind kind, unsigned printed)
{
	if (printed == LINES_MAX)
		return false;
	/* what is proved needs no guesses beside it; idlers count only if there is nothing else */
	if (first == KIND_proved)
		return kind <= KIND_stopped;
	return !printed || (kind != KIND_idle && kind != KIND_unknown);
}

static enum kind kind_of(const json_t *item)
{
	return kind_find(jsontext_at(item, "kind"));
}

void kinds_print(FILE *out, const json_t *triage, const char *before)
{
	enum kind first = kind_of(json_array_get(triage, 0));
	unsigned printed = 0;
	json_t *item;

	JSON_EACH(item, triage) {
		if (!kind_is_told(first, kind_of(item), printed))
			continue;
		printed++;
		fputs(before, out);
		line_put(out, jsontext_at(item, "text"));
		fputc('\n', out);
	}
}
