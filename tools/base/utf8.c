/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes UTF-8, and escapes what must not be printed. */
#include "utf8.h"

#include <stdio.h>
#include <string.h>

int32_t utf8_decode(const char *text, size_t *length)
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

bool utf8_is_control(int32_t code)
{
	return (code >= 0 && code < 0x20) || (code >= 0x7f && code < 0xa0);
}

/* Without a width, or reversing the direction of the text, or ending the line. */
static bool is_deceptive(int32_t code)
{
	return code == 0xad || code == 0x61c || code == 0x180e ||
	       (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
	       (code >= 0x2060 && code <= 0x206f) || code == 0xfeff ||
	       (code >= 0xfff9 && code <= 0xfffb) || code >> 8 == 0xe00;
}

/* Unicode will never give them to a character. */
static bool is_no_character(int32_t code)
{
	return (code & 0xfffe) == 0xfffe || (code >= 0xfdd0 && code <= 0xfdef);
}

bool utf8_is_unsafe(int32_t code)
{
	return code < 0 || utf8_is_control(code) || is_deceptive(code) || is_no_character(code);
}

bool utf8_is_safe_text(const char *text, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		if ((unsigned char)text[i] < ' ' || (unsigned char)text[i] >= 0x7f)
			return false;
	return true;
}

static char *put_escape(char *to, int32_t code)
{
	if (code < 0)
		return stpcpy(to, "?");
	return to + sprintf(to,
			    code < 0x80	   ? "\\x%02x" :
			    code < 0x10000 ? "\\u%04x" :
					     "\\U%08x",
			    (unsigned)code);
}

char *utf8_escape(char *to, const char *text, size_t bytes, const char *kept)
{
	size_t length;

	for (size_t at = 0; at < bytes; at += length) {
		char part[5] = "";
		int32_t code;

		memcpy(part, text + at, bytes - at < 4 ? bytes - at : 4);
		code = utf8_decode(part, &length);
		if (!utf8_is_unsafe(code) || (code > 0 && code < 0x80 && strchr(kept, code)))
			to = mempcpy(to, part, length);
		else
			to = put_escape(to, code);
	}
	*to = '\0';
	return to;
}
