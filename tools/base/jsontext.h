/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Strings for JSON documents, from which all reports are made. Names in logs, arguments and binaries may be any bytes;
 * JSON takes only UTF-8, and readers of reports take some of it for commands: see utf8.h.
 */
#pragma once

#include <jansson.h>

/* Sets `item` to each of an array's values in turn. */
#define JSON_EACH(item, array) \
	for (size_t at_##item = 0; (item = json_array_get((array), at_##item)); at_##item++)

/*
 * A new JSON string of up to `length` bytes of `text`, with what is unsafe escaped, but for what JSON escapes itself;
 * null if `text` is NULL.
 */
json_t *jsontext_of(const char *text);
json_t *jsontext_part(const char *text, size_t length);
/* The same as text: takes over one, which may be NULL, and returns it, or a safe one in its place. */
char *jsontext_safe(char *text);

/* The string under `key`, borrowed; "" if it is missing or no string. */
const char *jsontext_at(const json_t *object, const char *key);
/* The same, but NULL if it is missing or no string. */
const char *jsontext_string(const json_t *object, const char *key);
/* The integer under `key`; 0 if it is missing or no integer. */
long long jsontext_number(const json_t *object, const char *key);
