/* SPDX-License-Identifier: Apache-2.0 */
/* See top.h: makes arbitrary text safe for a terminal. */
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "../base/utf8.h"
#include "top.h"

/* Columns of a character: combining and direction marks take none. */
static int width_of(int32_t code)
{
	return code < 0x80 ? 1 : wcwidth((wchar_t)code);
}

char *top_plain(const char *text)
{
	char *plain = memory_get(strlen(text) + 1), *to = plain;
	size_t length;

	for (; *text; text += length) {
		int32_t code = utf8_decode(text, &length);
		int width = code < 0 ? -1 : utf8_is_control(code) ? 1 : width_of(code);

		if (!width)
			continue; /* invisible at best */
		if (width < 0 || utf8_is_control(code)) {
			*to++ = width < 0 ? '?' : ' ';
			continue;
		}
		memcpy(to, text, length);
		to += length;
	}
	return plain;
}

/* Skips whole characters until `width` columns are filled. */
static const char *skip(const char *plain, uint32_t width)
{
	size_t length;

	while (*plain) {
		int columns = width_of(utf8_decode(plain, &length));

		if (columns > (int)width)
			break;
		width -= (uint32_t)columns;
		plain += length;
	}
	return plain;
}

char *top_clip(const char *plain, uint32_t from, uint32_t width)
{
	const char *end;

	plain = skip(plain, from);
	end = skip(plain, width);
	if (!*end || !width)
		return text_format("%.*s", (int)(end - plain), plain);
	end = skip(plain, width - 1);
	return text_format("%.*s…", (int)(end - plain), plain);
}

size_t top_break(const char *plain, uint32_t width)
{
	size_t fits = (size_t)(skip(plain, width) - plain), at = fits;

	if (!plain[fits])
		return fits;
	while (at && plain[at] != ' ')
		at--;
	if (at > fits / 2)
		return at;
	return fits ? fits : strlen(plain);
}
