/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes UTF-8 and recognises control characters. */
#include "utf8.h"

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
