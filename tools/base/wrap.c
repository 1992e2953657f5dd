/* SPDX-License-Identifier: Apache-2.0 */
/* Wraps text at blanks. */
#include "wrap.h"

#include <string.h>

#define WIDTH 80u

void wrap_print(FILE *out, unsigned indent, const char *text)
{
	size_t column = indent;

	while (*text) {
		size_t length = strcspn(text, " ");

		if (column > indent && column + 1 + length > WIDTH) {
			fprintf(out, "\n%*s", (int)indent, "");
			column = indent;
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
