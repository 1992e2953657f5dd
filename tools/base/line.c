/* SPDX-License-Identifier: Apache-2.0 */
/* Removes from a line what must not be printed, and formats durations. */
#include "line.h"

#include <stdlib.h>
#include <string.h>

#include "utf8.h"
#include "util.h"

#define SECOND 1000000000ll

void line_clean(char *text)
{
	char *to = text;
	size_t length;

	for (const char *at = text; *at; at += length) {
		int32_t code = utf8_decode(at, &length);

		if (!utf8_is_unsafe(code))
			to = memmove(to, at, length) + length;
		else
			*to++ = code >= 0 && code < 0x80 ? ' ' : '?';
	}
	*to = '\0';
}

void line_put(FILE *out, const char *text)
{
	AUTO_FREE char *line = text_copy(text);

	line_clean(line);
	fputs(line, out);
}

char *line_lapse(long long from_ns, long long to_ns)
{
	long long ns = to_ns > from_ns && from_ns >= 0 ? to_ns - from_ns : 0, seconds = ns / SECOND;

	if (seconds < 10)
		return text_format("%.1f s", (double)ns / 1e9);
	if (seconds < 120)
		return text_format("%lld s", seconds);
	if (seconds < 7200)
		return text_format("%lld min", seconds / 60);
	return seconds < 172800 ? text_format("%lld h", seconds / 3600) :
				  text_format("%lld days", seconds / 86400);
}
