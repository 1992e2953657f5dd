/* See top.h: text that programs chose, made fit for a terminal. */
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "top.h"

/* The character at `text`, -1: no UTF-8; its bytes in `length`. */
static int32_t decode(const char *text, size_t *length)
{
	static const int32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	unsigned char lead = (unsigned char)*text;
	int32_t code = lead;

	*length = lead < 0x80	  ? 1 :
		  lead >> 5 == 6  ? 2 :
		  lead >> 4 == 14 ? 3 :
		  lead >> 3 == 30 ? 4 :
				    0;
	if (*length == 1)
		return code;
	if (*length)
		code = lead & (0x7f >> *length);
	for (size_t i = 1; i < *length; i++) {
		if (((unsigned char)text[i] & 0xc0) != 0x80)
			*length = 0;
		else
			code = code << 6 | (text[i] & 0x3f);
	}
	if (*length && code >= least[*length] && code < 0x110000 && code >> 11 != 0x1b)
		return code;
	*length = 1;
	return -1;
}

static bool is_control(int32_t code)
{
	return (code >= 0 && code < 0x20) || (code >= 0x7f && code < 0xa0);
}

/* Columns of a character: marks that combine with others, or turn the direction, take none. */
static int width_of(int32_t code)
{
	return code < 0x80 ? 1 : wcwidth((wchar_t)code);
}

char *top_plain(const char *text)
{
	char *plain = memory_get(strlen(text) + 1), *to = plain;
	size_t length;

	for (; *text; text += length) {
		int32_t code = decode(text, &length);
		int width = code < 0 ? -1 : is_control(code) ? 1 : width_of(code);

		if (!width)
			continue; /* invisible at best */
		if (width < 0 || is_control(code)) {
			*to++ = width < 0 ? '?' : ' ';
			continue;
		}
		memcpy(to, text, length);
		to += length;
	}
	return plain;
}

/* Goes over whole characters until `width` columns are full. */
static const char *skip(const char *plain, uint32_t width)
{
	size_t length;

	while (*plain) {
		int columns = width_of(decode(plain, &length));

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
