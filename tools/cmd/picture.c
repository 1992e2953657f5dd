/* SPDX-License-Identifier: Apache-2.0 */
/* Adds the document of `mpsan ps` to a report. */
#include "picture.h"

#include <stdio.h>
#include <stdlib.h>

#include "../ps/ps.h"

/* Without a finding, what each thread waits for is the best there is. */
static char *picture_text(const json_t *document)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	if (!out)
		return NULL;
	ps_print_tree(out, document);
	fclose(out);
	return text;
}

void picture_add(struct report *report, const json_t *document, bool in_text)
{
	json_object_set(report->document, "triage", json_object_get(document, "triage"));
	json_object_set(report->document, "picture", json_object_get(document, "processes"));
	if (in_text)
		report->picture = picture_text(document);
}

void picture_take(struct report *report, const char *dir, bool in_text)
{
	struct ps ps;
	char *wrong = ps_open(&ps, dir);
	json_t *document;

	free(wrong);
	if (wrong)
		return;
	if (ps.live) {
		ps_look(&ps);
		document = ps_document(&ps);
		picture_add(report, document, in_text);
		json_decref(document);
	}
	ps_close(&ps);
}
