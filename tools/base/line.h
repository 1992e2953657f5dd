/* SPDX-License-Identifier: Apache-2.0 */
/* Text for one line of a terminal: without control characters; durations in few letters. */
#ifndef MPSAN_LINE_H
#define MPSAN_LINE_H

/* Replaces line breaks and control characters by blanks. */
void line_clean(char *text);

/* Formats the time between two timestamps: "0.3 s", "40 s", "12 min", "3 h", "2 days". */
char *line_lapse(long long from_ns, long long to_ns);

#endif
