/* SPDX-License-Identifier: Apache-2.0 */
/* Text for one line of a terminal: nothing but what it shows; durations in few letters. */
#pragma once

#include <stdio.h>

/* Replaces line breaks and control characters by blanks, and what else is unsafe (utf8.h) by question marks. */
void line_clean(char *text);
/* Prints text that was cleaned so. */
void line_put(FILE *out, const char *text);

/* Formats the time between two timestamps: "0.3 s", "40 s", "12 min", "3 h", "2 days". */
char *line_lapse(long long from_ns, long long to_ns);
