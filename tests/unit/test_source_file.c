/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of source files, alone and with those around them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/source_file.h"

static void take(struct source_file *file, const char *text)
{
	source_file_take(file, text, strlen(text));
}

/* Lines are told apart by "|" in what is expected. */
static void around(const char *text, uint64_t number, uint64_t first, const char *expected)
{
	char *line[SOURCE_FILE_AROUND], list[256] = "";
	struct source_file file;

	take(&file, text);
	assert_int_equal(source_file_around(&file, number, line), first);
	for (unsigned i = 0; i < SOURCE_FILE_AROUND; i++) {
		if (!line[i])
			continue;
		assert_true(!i || line[i - 1]);
		strcat(strcat(list, i ? "|" : ""), line[i]);
		free(line[i]);
	}
	assert_string_equal(list, expected);
	source_file_finish(&file);
}

static void a_line_has_two_before_and_two_after(void **state)
{
	(void)state;
	around("a\nb\nc\nd\ne\nf\n", 4, 2, "b|c|d|e|f");
	around("a\nb\nc\nd\n", 1, 1, "a|b|c|d");
	around("a\nb\nc", 3, 1, "a|b|c");
	around("a\r\nb\rc\n", 2, 1, "a|b|c");
	around("a\n", 9, 7, "");
	around("", 1, 1, "");
}

static void the_indentation_of_all_is_left_off(void **state)
{
	(void)state;
	around("  a:\n\n    b\n   c\n    d\n", 3, 1, "a:||  b| c|  d");
	around("\tif (a)\n\t\tb();\n        c();  \n", 2, 1, "if (a)|        b();|c();");
	around("a\n  b\n", 1, 1, "a|  b");
	around("    \n\n", 1, 1, "|");
}

static void one_line_has_no_blanks_at_its_ends(void **state)
{
	struct source_file file;
	char *line;

	(void)state;
	take(&file, "a\n\t b\x1b[0m \n\n");
	line = source_file_line(&file, 2);
	assert_non_null(line);
	assert_null(strchr(line, '\x1b'));
	assert_int_equal(*line, 'b');
	free(line);
	assert_null(source_file_line(&file, 0));
	assert_null(source_file_line(&file, 3));
	assert_null(source_file_line(&file, 4));
	source_file_finish(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_has_two_before_and_two_after),
		cmocka_unit_test(the_indentation_of_all_is_left_off),
		cmocka_unit_test(one_line_has_no_blanks_at_its_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
