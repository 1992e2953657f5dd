/* SPDX-License-Identifier: Apache-2.0 */
/* Wraps text at blanks. A line of its own stays one; what follows the dash of a list stands below its beginning. */
#include "wrap.h"

#include <string.h>

#define WIDTH 80u

static void wrap_line(FILE *out, unsigned indent, const char *text, size_t bytes)
{
	unsigned hang = indent + (bytes > 1 && !strncmp(text, "- ", 2) ? 2 : 0);
	size_t column = indent;

	for (const char *end = text + bytes; text < end;) {
		size_t length = strcspn(text, " \n");

		if (column > indent && column + 1 + length > WIDTH) {
			fprintf(out, "\n%*s", (int)hang, "");
			column = hang;
		} else if (column > indent) {
			fputc(' ', out);
			column++;
		}
		fprintf(out, "%.*s", (int)length, text);
		column += length;
		text += length;
		text += strspn(text, " ");
	}
	fputc('\n', out);
}

void wrap_print(FILE *out, unsigned indent, const char *text)
{
	for (size_t bytes; *text; text += bytes + (text[bytes] == '\n')) {
		bytes = strcspn(text, "\n");
		wrap_line(out, indent, text, bytes);
		if (text[bytes] && text[bytes + 1])
			fprintf(out, "%*s", (int)indent, "");
	}
}
