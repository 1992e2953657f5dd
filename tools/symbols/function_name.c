/* SPDX-License-Identifier: Apache-2.0 */
/* See function_name.h. */
#include "function_name.h"

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
		depth -= *at == shut && !(shut == '>' && at[-1] == '-'); /* "fn() -> T" */
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

/* The type that Rust's "<app::Job<T> as Drop>::drop" begins with: its bytes; 0: it begins with none. */
static size_t self_bytes(const char *name)
{
	const char *end, *as;

	if (*name != '<' || strncmp(end = closed(name, '>'), "::", 2) != 0)
		return 0;
	as = name + 1;
	while (as < end - 1 && strncmp(as, " as ", 4) != 0)
		as = *as == '<' ? closed(as, '>') : as + 1;
	return (size_t)((as < end ? as : end - 1) - name - 1);
}

/* Leaves off what is no part of the name, from `at` to `end`; returns where it ends. */
static char *shorten(const char *at, const char *end, char *out)
{
	const char *name = at;
	char *to = out;
	size_t bytes;

	while (at < end) {
		if (!strncmp(at, anonymous, strlen(anonymous))) {
			at += strlen(anonymous);
			at += !strncmp(at, "::", 2) ? 2 : 0;
		} else if ((bytes = operator_bytes(name, at))) {
			memmove(to, at, bytes);
			to += bytes;
			at += bytes;
		} else if (*at == '<') {
			at = closed(at, '>');
			if (to >= out + 2 && !strncmp(to - 2, "::", 2))
				to -= 2; /* "drop_in_place::<T>" */
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
	return to;
}

char *function_name_short(const char *name)
{
	size_t self = self_bytes(name);
	const char *rest = self ? closed(name, '>') : name;
	char *out = text_copy(name), *to = out;

	if (!strstr(name, "::") && !strchr(name, '('))
		return out;
	if (self)
		to = shorten(name + 1, name + 1 + self, out);
	*shorten(rest, rest + strlen(rest), to) = '\0';
	if (!*out)
		strcpy(out, name);
	return out;
}
