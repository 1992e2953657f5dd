/* SPDX-License-Identifier: Apache-2.0 */
/* Creates the report document and counts its findings. */
#include "report.h"

#include <stdlib.h>
#include <string.h>

#include "../../include/mpsan_version.h"
#include "../base/jsontext.h"
#include "merge_sessions.h"

json_t *report_exit_json(const struct report_exit *end)
{
	return json_pack("{s:o, s:o}", "code",
			 end->code < 0 ? json_null() : json_integer(end->code), "signal",
			 end->signal ? json_integer(end->signal) : json_null());
}

json_t *report_create(json_t *command, const struct report_exit *end)
{
	return json_pack("{s:s, s:{s:s, s:s}, s:o, s:o, s:[], s:[], s:[], s:[]}", "schema",
			 "mpsan.report/1", "tool", "name", "mpsan", "version", MPSAN_VERSION,
			 "command", command ? json_incref(command) : json_array(), "exit",
			 report_exit_json(end), "processes", "findings", "limits", "hosts");
}

void report_finish(struct report *report)
{
	for (uint32_t i = 0; i < report->source.count; i++) {
		free(report->source.item[i].dir);
		free(report->source.item[i].host);
		free(report->source.item[i].rank);
	}
	free(report->source.item);
	merge_sessions_destroy(report->merge);
	timeline_destroy(report->timeline);
	json_decref(report->document);
	free(report->picture);
	*report = (struct report){0};
}

void report_add(json_t *document, const struct judge *judge)
{
	struct merge_sessions *merge = merge_sessions_create(document);

	merge_sessions_add(merge, 0, 0, judge);
	merge_sessions_destroy(merge);
}

unsigned report_count(const json_t *document, const char *severity)
{
	unsigned count = 0;
	json_t *finding;

	JSON_EACH(finding, json_object_get(document, "findings"))
		count += !strcmp(jsontext_at(finding, "severity"), severity);
	return count;
}

enum grade report_worst(const json_t *document)
{
	enum grade worst = GRADE_OFF, grade;
	json_t *finding;

	JSON_EACH(finding, json_object_get(document, "findings"))
		if (grade_parse(json_string_value(json_object_get(finding, "severity")), &grade) &&
		    grade > worst)
			worst = grade;
	return worst;
}
