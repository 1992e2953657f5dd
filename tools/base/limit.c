/* SPDX-License-Identifier: Apache-2.0 */
/* Adds lines to the `limits` of a report. */
#include "limit.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "jsontext.h"

void report_limit(json_t *document, const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	if (vasprintf(&text, format, args) >= 0) {
		json_array_append_new(json_object_get(document, "limits"), jsontext_of(text));
		free(text);
	}
	va_end(args);
}
