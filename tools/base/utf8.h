/* Characters of text that programs chose. Neighbours: top_text.c, source_line.c make such text fit to be shown. */
#ifndef MPSAN_UTF8_H
#define MPSAN_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The character at `text`, which ends with a NUL, -1: no UTF-8; its bytes in `length`, at least 1. */
int32_t utf8_decode(const char *text, size_t *length);

/* A terminal may take it for a command. */
bool utf8_is_control(int32_t code);

#endif
