/* SPDX-License-Identifier: Apache-2.0 */
/* See cxx_name.h. */
#include "cxx_name.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../base/util.h"

static const char anonymous[] = "(anonymous namespace)";

/* The end of what the bracket at `open` encloses; the end of the text if nothing closes it. */
static const char *closed(const char *open, char shut)
{
	unsigned depth = 0;
	const char *at = open;

	for (; *at; at++) {
		depth += *at == *open;
		depth -= *at == shut;
		if (!depth)
			return at + 1;
	}
	return at;
}

static bool is_part_of_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* The bytes of "operator<<", "operator()" or "operator new" that begin here; 0: none does. */
static size_t operator_bytes(const char *name, const char *at)
{
	static const char word[] = "operator";
	const char *symbol = at + strlen(word);

	if (strncmp(at, word, strlen(word)) != 0 || is_part_of_name(*symbol) ||
	    (at > name && is_part_of_name(at[-1])))
		return 0;
	if (!strncmp(symbol, "()", 2) || !strncmp(symbol, "[]", 2))
		return strlen(word) + 2;
	return strlen(word) +
	       (*symbol == ' ' ? strcspn(symbol, "(<") : strspn(symbol, "<>=-+*/%^&|~!,"));
}

char *cxx_name_short(const char *name)
{
	char *out = text_copy(name), *to = out;
	size_t bytes;

	if (!strstr(name, "::") && !strchr(name, '('))
		return out;
	for (const char *at = name; *at;) {
		if (!strncmp(at, anonymous, strlen(anonymous))) {
			at += strlen(anonymous);
			at += !strncmp(at, "::", 2) ? 2 : 0;
		} else if ((bytes = operator_bytes(name, at))) {
			memcpy(to, at, bytes);
			to += bytes;
			at += bytes;
		} else if (*at == '<') {
			at = closed(at, '>');
		} else if (*at == '(') {
			at = closed(at, ')');
			if (*at != ':' && *at != '#')
				break; /* " const", " [clone .cold]" */
		} else if (*at == ' ') {
			to = at[1] == '<' ? to : out; /* that was the result */
			at++;
		} else {
			*to++ = *at++;
		}
	}
	*to = '\0';
	if (to == out)
		strcpy(out, name);
	return out;
}
