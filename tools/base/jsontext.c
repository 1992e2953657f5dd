/* SPDX-License-Identifier: Apache-2.0 */
/* Makes valid JSON strings of arbitrary bytes, and reads strings of JSON objects. */
#include "jsontext.h"

#include <stdlib.h>
#include <string.h>

#include "util.h"

json_t *jsontext_part(const char *text, size_t length)
{
	json_t *string = json_stringn(text, length);
	char *plain;

	if (string)
		return string;
	plain = text_format("%.*s", (int)length, text);
	for (char *c = plain; *c; c++)
		if ((unsigned char)*c >= 0x80)
			*c = '?';
	string = json_string(plain);
	free(plain);
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
