/* SPDX-License-Identifier: Apache-2.0 */
/* Makes valid JSON strings of arbitrary bytes, and reads strings of JSON objects. */
#include "jsontext.h"

#include <string.h>

#include "utf8.h"
#include "util.h"

/* JSON escapes these itself; what makes text of a document has one line for each name (line.h). */
#define ESCAPED_BY_JSON                                               \
	"\1\2\3\4\5\6\7\10\11\12\13\14\15\16\17\20\21\22\23\24\25\26" \
	"\27\30\31\32\33\34\35\36\37"

/* NULL: the text is safe as it is. */
static char *safe_copy(const char *text, size_t length)
{
	char *safe;

	if (utf8_is_safe_text(text, length))
		return NULL;
	safe = memory_get(UTF8_ESCAPED * length + 1);
	utf8_escape(safe, text, length, ESCAPED_BY_JSON);
	return safe;
}

json_t *jsontext_part(const char *text, size_t length)
{
	AUTO_FREE char *safe = NULL;

	length = strnlen(text, length);
	safe = safe_copy(text, length);
	return safe ? json_string(safe) : json_stringn(text, length);
}

char *jsontext_safe(char *text)
{
	char *safe = text ? safe_copy(text, strlen(text)) : NULL;

	if (!safe)
		return text;
	free(text);
	return safe;
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
