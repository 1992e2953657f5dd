/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --report html: one self-contained file. The page is in html/, its data in one script element of
 * JSON. Neighbours: report.h, out_html.h.
 */
#include "out_html.h"
#include "formats.h"

#include <stdlib.h>
#include <string.h>

extern const char html_page[], html_page_end[], html_style[], html_style_end[], html_script[],
	html_script_end[];

/* Where the parts are inserted into the page, in this order. */
#define STYLE_MARK "/* style */"
#define DATA_MARK "{/* data */}"
#define SCRIPT_MARK "/* script */"

/*
 * Inside a script element only "<" can end it or begin a comment; in a JSON string it can be
 * escaped. All non-ASCII characters are escaped already, including U+2028.
 */
static int write_escaped(const char *text, size_t size, void *out)
{
	for (size_t i = 0; i < size; i++)
		if (text[i] == '<')
			fputs("\\u003c", out);
		else
			fputc_unlocked(text[i], out);
	return 0;
}

/* Writes the page up to the mark and returns what follows it. */
static const char *write_until(FILE *out, const char *from, const char *mark)
{
	const char *at = memmem(from, (size_t)(html_page_end - from), mark, strlen(mark));

	if (!at)
		return from;
	fwrite(from, 1, (size_t)(at - from), out);
	return at + strlen(mark);
}

void out_html(FILE *out, const struct report *report)
{
	json_auto_t *data = html_data(report);
	const char *rest;

	rest = write_until(out, html_page, STYLE_MARK);
	fwrite(html_style, 1, (size_t)(html_style_end - html_style), out);
	rest = write_until(out, rest, DATA_MARK);
	json_dump_callback(data, write_escaped, out, JSON_COMPACT | JSON_ENSURE_ASCII);
	rest = write_until(out, rest, SCRIPT_MARK);
	fwrite(html_script, 1, (size_t)(html_script_end - html_script), out);
	fwrite(rest, 1, (size_t)(html_page_end - rest), out);
}
