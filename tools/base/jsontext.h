/*
 * Strings for JSON documents. Names in logs, arguments and binaries may be any bytes; JSON takes
 * UTF-8 only.
 */
#ifndef MPSAN_JSONTEXT_H
#define MPSAN_JSONTEXT_H

#include <jansson.h>

/* A new string of up to `length` bytes of `text`, with '?' for what is not UTF-8; null for NULL. */
json_t *jsontext_of(const char *text);
json_t *jsontext_part(const char *text, size_t length);

/* What stands under a key, borrowed; "" when that is no string. */
const char *jsontext_at(const json_t *object, const char *key);

#endif
