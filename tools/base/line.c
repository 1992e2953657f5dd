/* SPDX-License-Identifier: Apache-2.0 */
/* Removes control characters from a line, and formats durations. */
#include "line.h"

#include "util.h"

#define SECOND 1000000000ll

void line_clean(char *text)
{
	for (char *c = text; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = ' ';
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
