/* SPDX-License-Identifier: Apache-2.0 */
/*
 * UTF-8 in text from programs and files, and what of it may be printed. Names come from strangers: a terminal, an editor
 * or a log viewer must not take them for commands, nor show them as something else. Neighbours: jsontext.h and line.h,
 * through which such text enters documents and lines.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Decodes the character at `text` (NUL-terminated) and sets `length` to its bytes, at least 1.
 * Returns -1 for invalid UTF-8.
 */
int32_t utf8_decode(const char *text, size_t *length);

/* Whether a terminal may interpret it as a command. */
bool utf8_is_control(int32_t code);

/*
 * Whether a character, or -1 for invalid UTF-8, must be escaped: also what has no width, ends a line or reverses the
 * text's direction, and what is no character.
 */
bool utf8_is_unsafe(int32_t code);

/* Whether text has nothing but printable ASCII: most has, and nothing there is unsafe. */
bool utf8_is_safe_text(const char *text, size_t bytes);

#define UTF8_ESCAPED 4u /* times as long, at most */

/*
 * Copies `bytes` of text, with what is unsafe escaped as in C and Python: \x1b, \u202e, \U000e0041; a question mark for
 * each byte that is no UTF-8. ASCII characters in `kept` stay. `to` has room for UTF8_ESCAPED times as much and a NUL; returns the
 * end.
 */
char *utf8_escape(char *to, const char *text, size_t bytes, const char *kept);
