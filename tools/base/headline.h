/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The three lines that a finding begins with: what waits where, why it never ends, what to do. They are cut out of the
 * message and the fix, and shortened to fit. Neighbours: rules/rule.h (message_text), evidence/args.h.
 */
#pragma once

#include <stddef.h>

#define HEADLINE_COLUMNS 100u /* of each of them */
#define HEADLINE_REST 96u /* of the text of the second and third, which are indented */

/*
 * Of a text "WHAT| for |WHY" or "WHAT: WHY": the first and the last part, and all of it without the bars. A part of what
 * stands in brackets may be left out. Each is released by the caller; `why` is "" where the text has one part.
 */
struct headline {
	char *what, *why, *whole;
};
struct headline headline_split(const char *text);
void headline_drop(struct headline *headline);

/* The columns left for `what` behind "==PID== mpsan: SEVERITY: RULE: ". */
size_t headline_left(unsigned long long pid, const char *severity, const char *rule);

/* What stands for the brackets of a text once names are filled in, which may hold brackets themselves. */
#define HEADLINE_OPEN '\x01'
#define HEADLINE_SHUT '\x02'

/* How wide a text is, but for characters that are wider or have no width. */
size_t headline_columns(const char *text);

/* The text without these marks. */
char *headline_whole(const char *marked);

/*
 * The text in so many columns: as far as needed locks lose where they were made and what describes them, places their
 * function, named threads the word; then what is in brackets goes, from the last to the first; then an exception's text
 * and a file's name are shortened, and at last the end is cut.
 */
char *headline_fit(const char *marked, size_t columns);

/*
 * The lines themselves, without the last line break: what, why, unless that is empty, and the first part of the fix. The
 * caller frees them.
 */
char *headline_lines(const char *what, const char *why, const char *fix);
