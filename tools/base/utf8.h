/* SPDX-License-Identifier: Apache-2.0 */
/*
 * UTF-8 in text from programs and files. Neighbours: top_text.c and source_file.c make such text
 * safe to print.
 */
#ifndef MPSAN_UTF8_H
#define MPSAN_UTF8_H

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

#endif
