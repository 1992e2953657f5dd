/* SPDX-License-Identifier: Apache-2.0 */
/* Adds what `mpsan ps` shows to a report. */
#include "picture.h"

#include <stdio.h>
#include <stdlib.h>

#include "../ps/ps.h"

/* Without a finding, what each thread waits for is the best there is. */
static char *picture_text(const struct ps_picture *picture)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	if (!out)
		return NULL;
	ps_print_tree(out, picture);
	fclose(out);
	return text;
}

void picture_add(struct report *report, const struct ps_picture *picture, bool in_text)
{
	json_auto_t *document = ps_json(picture);

	json_object_set(report->document, "triage", json_object_get(document, "triage"));
	json_object_set(report->document, "picture", json_object_get(document, "processes"));
	if (in_text)
		report->picture = picture_text(picture);
}

void picture_take(struct report *report, const char *dir, bool in_text)
{
	struct ps ps;
	char *wrong = ps_open(&ps, dir);
	struct ps_picture *picture;

	free(wrong);
	if (wrong)
		return;
	if (ps.live) {
		ps_look(&ps);
		picture = ps_picture(&ps, NULL);
		picture_add(report, picture, in_text);
		ps_picture_free(picture);
	}
	ps_close(&ps);
}
