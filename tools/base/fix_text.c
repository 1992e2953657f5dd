/* SPDX-License-Identifier: Apache-2.0 */
/* See fix_text.h. */
#include "fix_text.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util.h"

/* The part for one kind of readers that begins here, and its reader; NULL: none does. */
static const char *part_at(const char *text, enum fix_reader *reader)
{
	static const struct {
		const char *mark;
		enum fix_reader reader;
	} marks[] = {{"{python|", FIX_FOR_PYTHON}, {"{native|", FIX_FOR_NATIVE}};

	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++) {
		*reader = marks[i].reader;
		if (!strncmp(text, marks[i].mark, strlen(marks[i].mark)))
			return text + strlen(marks[i].mark);
	}
	return NULL;
}

/* Whether a part that begins with a separator needs none: nothing, or a colon, is before it. */
static bool begins(const char *text, const char *to)
{
	return to == text || (to - text >= 2 && to[-2] == ':' && to[-1] == ' ');
}

/* What no finding fills in. */
static char *in_general(char *text)
{
	static const char name[] = "{spawn}";
	char *at = strstr(text, name), *longer;

	if (!at)
		return text;
	longer = text_format("%.*s" FIX_SPAWN "%s", (int)(at - text), text, at + strlen(name));
	free(text);
	return longer;
}

char *fix_for(const char *fix, enum fix_reader reader)
{
	char *text = text_copy(fix), *to = text;
	bool in_part = false, in_name = false, wanted = true;

	for (const char *from = fix; *from;) {
		enum fix_reader of;
		const char *part = in_part ? NULL : part_at(from, &of);

		if (part) {
			in_part = true;
			wanted = reader == FIX_FOR_ALL || reader == of;
			from = part + (begins(text, to) ? strspn(part, " ,;") : 0);
		} else if (in_part && !in_name && *from == '}') {
			in_part = false;
			wanted = true;
			from++;
		} else {
			in_name = *from == '{' || (in_name && *from != '}');
			if (wanted)
				*to++ = *from;
			from++;
		}
	}
	*to = '\0';
	return reader == FIX_FOR_ALL ? in_general(text) : text;
}
