/* SPDX-License-Identifier: Apache-2.0 */
/* Makes valid JSON strings of arbitrary bytes, and reads strings of JSON objects. */
#include "jsontext.h"

#include <stdlib.h>
#include <string.h>

#include "utf8.h"
#include "util.h"

/* What text has on purpose, and JSON escapes itself; what makes lines of a document takes blanks for them (line.h). */
#define KEPT "\t\n"

json_t *jsontext_part(const char *text, size_t length)
{
	json_t *string;
	char *safe;

	length = strnlen(text, length);
	if (utf8_is_safe_text(text, length))
		return json_stringn(text, length);
	safe = memory_get(UTF8_ESCAPED * length + 1);
	utf8_escape(safe, text, length, KEPT);
	string = json_string(safe);
	free(safe);
	return string;
}

json_t *jsontext_of(const char *text)
{
	return text ? jsontext_part(text, strlen(text)) : json_null();
}

const char *jsontext_at(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

const char *jsontext_string(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

long long jsontext_number(const json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}
