/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Applies the baseline to a report, and lists suppressions and baseline lines that matched nothing.
 */
#include "gate.h"

#include <stdio.h>
#include <stdlib.h>

#include "../base/jsontext.h"
#include "../base/limit.h"

#define NAMED_MAX 16u

static void say_unused(const struct suppressions *suppressions, json_t *document)
{
	const json_t *findings = json_object_get(document, "findings");
	uint32_t count = 0;

	for (uint32_t i = 0; i < suppressions->line.count; i++) {
		const struct suppression *line = &suppressions->line.item[i];
		AUTO_FREE char *near = NULL;

		if (line->used || ++count > NAMED_MAX)
			continue;
		near = suppression_near(line, findings);
		report_limit(document, "unused suppression: %s:%u %s:%s%s", line->file,
			     line->number, line->slug, line->pattern, near);
	}
	if (count > NAMED_MAX)
		report_limit(document, "further unused suppressions: %u", count - NAMED_MAX);
}

int gate(struct settings *settings, json_t *document)
{
	size_t count = json_array_size(json_object_get(document, "findings"));
	AUTO_FREE char *wrong = settings->write_baseline ?
					baseline_write(settings->write_baseline, document) :
					NULL;
	int status = wrong ? complain("%s", wrong) : 0;

	if (settings->write_baseline && !status)
		fprintf(stderr, "mpsan: %zu finding%s written to the baseline %s\n", count,
			count == 1 ? "" : "s", settings->write_baseline);
	if (settings->conf)
		json_object_set_new(json_object_get(document, "tool"), "conf",
				    jsontext_of(settings->conf));
	say_unused(&settings->suppressions, document);
	baseline_apply(&settings->baseline, document);
	return status;
}
