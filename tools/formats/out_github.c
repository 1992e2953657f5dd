/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --report github: workflow commands, which GitHub Actions shows beside the lines of a pull
 * request. It shows ten per kind and step and drops the others, so the most severe are printed and
 * the others counted. Neighbours: report.h, plain_text.h.
 */
#include <string.h>

#include "../base/jsontext.h"
#include "formats.h"
#include "plain_text.h"

#define SHOWN 10u /* per kind; GitHub's limit */

struct kind {
	const char *severity, *command;
	size_t found;
};

/*
 * Encodes what would end the command, or a property of it; other control characters become blanks.
 */
static void out_github_put(FILE *out, const char *text, bool property)
{
	for (const char *c = text; *c; c++) {
		if (*c == '%' || *c == '\r' || *c == '\n' || (property && strchr(":,", *c)))
			fprintf(out, "%%%02X", *c);
		else
			fputc((unsigned char)*c < ' ' || *c == 0x7f ? ' ' : *c, out);
	}
}

static void put_place(FILE *out, const struct location *location)
{
	if (!location->inside)
		return;
	fputs("file=", out);
	out_github_put(out, location->file, true);
	if (location->line > 0)
		fprintf(out, ",line=%lld", location->line);
	fputc(',', out);
}

static void annotate(FILE *out, const struct kind *kind, const json_t *finding,
		     const struct locator *locator, const json_t *command)
{
	AUTO_FREE char *head = plain_head(finding), *story = plain_story(finding, locator, 0);
	struct location location;

	location_of_finding(&location, locator, finding, command);
	fprintf(out, "::%s ", kind->command);
	put_place(out, &location);
	fputs("title=", out);
	out_github_put(out, "mpsan: ", true);
	out_github_put(out, jsontext_at(finding, "rule"), true);
	fputs("::", out);
	out_github_put(out, head, false);
	out_github_put(out, "\n", false);
	out_github_put(out, story, false);
	fputc('\n', out);
	location_finish(&location);
}

/* Prints an ordinary line of the log. */
static void put_left_out(FILE *out, const struct kind *kinds)
{
	for (const struct kind *kind = kinds; kind->severity; kind++)
		if (kind->found > SHOWN)
			fprintf(out,
				"mpsan: %zu more findings of severity %s without annotation: GitHub shows %u per step\n",
				kind->found - SHOWN, kind->severity, SHOWN);
}

void out_github(FILE *out, const struct report *report)
{
	struct kind kinds[] = {
		{"error", "error", 0}, {"warning", "warning", 0}, {"note", "notice", 0}, {0}};
	const json_t *findings = json_object_get(report->document, "findings"),
		     *command = json_object_get(report->document, "command");
	struct locator locator;
	json_t *finding;

	locator_init(&locator);
	/* The program may have left a line unfinished; a command must begin a line. */
	if (json_array_size(findings) && (out == stdout || out == stderr))
		fputc('\n', out);
	for (struct kind *kind = kinds; kind->severity; kind++)
		JSON_EACH(finding, findings) {
			if (strcmp(jsontext_at(finding, "severity"), kind->severity))
				continue;
			if (kind->found++ < SHOWN)
				annotate(out, kind, finding, &locator, command);
		}
	put_left_out(out, kinds);
	locator_finish(&locator);
}
