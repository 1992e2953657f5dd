/* SPDX-License-Identifier: Apache-2.0 */
/* What is escaped, and that nothing else is left of any bytes: the result is UTF-8 without unsafe characters, and stays so. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../tools/base/jsontext.h"
#include "../../tools/base/line.h"
#include "../../tools/base/utf8.h"
#include "../../tools/base/util.h"

#define ROUNDS 200000u
#define BYTES 24u

static char *escaped(const char *text)
{
	size_t bytes = strlen(text);
	char *safe = memory_get(UTF8_ESCAPED * bytes + 1);

	utf8_escape(safe, text, bytes, "");
	return safe;
}

static void escapes(const char *text, const char *wanted)
{
	char *safe = escaped(text);

	assert_string_equal(safe, wanted);
	free(safe);
}

static void named(void **state)
{
	(void)state;
	escapes("plain", "plain");
	escapes("ü 中文 \xf0\x9f\x99\x82 z\xcc\x81", "ü 中文 \xf0\x9f\x99\x82 z\xcc\x81");
	escapes("\x1b[2J\x7f\n", "\\x1b[2J\\x7f\\x0a");
	escapes("\xc2\x80\xc2\x9b\xc2\x9f\xc2\xad", "\\u0080\\u009b\\u009f\\u00ad");
	escapes("\xe2\x80\xae\xe2\x81\xa6\xd8\x9c\xef\xbb\xbf", "\\u202e\\u2066\\u061c\\ufeff");
	escapes("\xf3\xa0\x81\x81\xf4\x8f\xbf\xbf", "\\U000e0041\\U0010ffff");
	escapes("\xff\xc3(\xed\xa0\x80\xf4\x90\x80\x80\xc0\x80", "?"
								 "?("
								 "?????????");
	escapes("\xe2\x80", "??");
}

/* All code points: those that are escaped are those that are unsafe. */
static void all(void **state)
{
	(void)state;
	for (int32_t code = 1; code < 0x110000; code++) {
		char text[5] = "", safe[5 * UTF8_ESCAPED];
		size_t length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4, read;

		if (code >> 11 == 0x1b)
			continue;
		for (size_t i = length; i-- > 1;)
			text[i] = (char)(0x80 | (code >> 6 * (length - 1 - i) & 0x3f));
		text[0] = (char)(length == 1 ? code :
					       (0xf00 >> length & 0xff) | code >> 6 * (length - 1));
		assert_int_equal(utf8_decode(text, &read), code);
		assert_int_equal(read, length);
		utf8_escape(safe, text, length, "");
		assert_int_equal(strcmp(safe, text) != 0, utf8_is_unsafe(code));
	}
}

static void is_clean(const char *text)
{
	size_t length;

	for (; *text; text += length)
		assert_false(utf8_is_unsafe(utf8_decode(text, &length)));
}

static void any_bytes(void **state)
{
	static const char *const parts[] = {
		"\xe2\x80\xae", "\xc2\x9b", "a",    "\x1b", "\xf0\x9f\x99\x82",
		"\xff",		"\xe2",	    "\x80", "\n"};
	unsigned seed = 1;

	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		char text[BYTES + 5] = "", *safe, *again;
		json_t *json;

		while (strlen(text) < BYTES - 4 && rand_r(&seed) % 16)
			if (rand_r(&seed) % 2)
				strcat(text,
				       parts[rand_r(&seed) % (sizeof(parts) / sizeof(*parts))]);
			else
				strcat(text, (char[]){(char)(rand_r(&seed) % 255 + 1), '\0'});
		safe = escaped(text);
		again = escaped(safe);
		is_clean(safe);
		assert_string_equal(again, safe);
		assert_true(strlen(safe) <= UTF8_ESCAPED * strlen(text));
		json = jsontext_of(text);
		assert_non_null(json_string_value(json));
		line_clean(text);
		is_clean(text);
		json_decref(json);
		free(again);
		free(safe);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(named),
		cmocka_unit_test(all),
		cmocka_unit_test(any_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
