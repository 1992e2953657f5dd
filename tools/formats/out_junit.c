/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --report junit: a test case per rule. A rule fails if one of its findings is at least as severe
 * as --fail-on, like the exit status; other findings are the output of a passed case. A rule that
 * is off is skipped. Neighbours: report.h, plain_text.h.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../../include/mpsan_version.h"
#include "../base/jsontext.h"
#include "../rules/catalog.h"
#include "formats.h"
#include "plain_text.h"

#define FRAMES_SHOWN 12u

struct junit {
	FILE *out;
	const struct report *report;
	struct locator locator;
	ARRAY(const json_t *) found[RULE_COUNT];
};

/* XML cannot represent most control characters, nor U+FFFE and U+FFFF: they are omitted. */
static void out_junit_put(FILE *out, const char *text)
{
	for (const char *c = text; *c; c++) {
		if (!strncmp(c, "\xef\xbf\xbe", 3) || !strncmp(c, "\xef\xbf\xbf", 3))
			c += 2;
		else if (*c == '&')
			fputs("&amp;", out);
		else if (*c == '<')
			fputs("&lt;", out);
		else if (*c == '>')
			fputs("&gt;", out);
		else if (*c == '"')
			fputs("&quot;", out);
		else if (*c == '\n' || *c == '\t' || *c == '\r')
			fprintf(out, "&#%d;", *c);
		else if ((unsigned char)*c >= ' ')
			fputc(*c, out);
	}
}

/* Puts text as element content, with its line breaks. */
static void put_lines(FILE *out, const char *text)
{
	while (*text) {
		size_t length = strcspn(text, "\n");
		AUTO_FREE char *line = text_format("%.*s", (int)length, text);

		out_junit_put(out, line);
		fputc('\n', out);
		text += length + (text[length] == '\n');
	}
}

static void put_attribute(FILE *out, const char *name, const char *value)
{
	fprintf(out, " %s=\"", name);
	out_junit_put(out, value);
	fputc('"', out);
}

static bool fails(const struct junit *junit, const json_t *finding)
{
	enum grade grade;

	return junit->report->fail_on != GRADE_OFF &&
	       grade_parse(jsontext_at(finding, "severity"), &grade) &&
	       grade >= junit->report->fail_on;
}

static unsigned count_failures(const struct junit *junit, enum rule_id rule)
{
	unsigned count = 0;

	for (uint32_t i = 0; i < junit->found[rule].count; i++)
		count += fails(junit, junit->found[rule].item[i]);
	return count;
}

static bool is_off(const struct junit *junit, enum rule_id rule)
{
	return junit->report->grades && !grades_asks(junit->report->grades, rule) &&
	       !junit->found[rule].count;
}

/* Puts the findings of a rule that fail, or those that do not. */
static void put_stories(const struct junit *junit, enum rule_id rule, bool failing)
{
	for (uint32_t i = 0; i < junit->found[rule].count; i++) {
		const json_t *finding = junit->found[rule].item[i];
		AUTO_FREE char *story = NULL, *head = NULL, *lines = NULL;

		if (fails(junit, finding) != failing)
			continue;
		lines = plain_head(finding);
		head = text_format("%s: %s", jsontext_at(finding, "severity"), lines);
		story = plain_story(finding, &junit->locator, FRAMES_SHOWN);
		put_lines(junit->out, head);
		put_lines(junit->out, story);
		fputc('\n', junit->out);
	}
}

static const json_t *first_failure(const struct junit *junit, enum rule_id rule)
{
	for (uint32_t i = 0; i < junit->found[rule].count; i++)
		if (fails(junit, junit->found[rule].item[i]))
			return junit->found[rule].item[i];
	return NULL;
}

/* Puts one element for all failing findings: many readers show only the first. */
static void put_failure(const struct junit *junit, enum rule_id rule, unsigned count)
{
	const json_t *first = first_failure(junit, rule);
	AUTO_FREE char *message =
		count > 1 ?
			text_format("%s (and %u more)", jsontext_at(first, "message"), count - 1) :
			text_copy(jsontext_at(first, "message"));

	fputs("      <failure", junit->out);
	put_attribute(junit->out, "type", jsontext_at(first, "severity"));
	put_attribute(junit->out, "message", message);
	fputs(">\n", junit->out);
	put_stories(junit, rule, true);
	fputs("</failure>\n", junit->out);
}

static void put_case(const struct junit *junit, enum rule_id rule)
{
	unsigned failures = count_failures(junit, rule);

	fputs("    <testcase classname=\"mpsan\" time=\"0\"", junit->out);
	put_attribute(junit->out, "name", rule_slug(rule));
	if (!is_off(junit, rule) && !junit->found[rule].count) {
		fputs("/>\n", junit->out);
		return;
	}
	fputs(">\n", junit->out);
	if (is_off(junit, rule))
		fprintf(junit->out,
			"      <skipped message=\"off; enable it with --rule %s=warning\"/>\n",
			rule_slug(rule));
	if (failures)
		put_failure(junit, rule, failures);
	if (junit->found[rule].count > failures) {
		fputs("      <system-out>\n", junit->out);
		put_stories(junit, rule, false);
		fputs("</system-out>\n", junit->out);
	}
	fputs("    </testcase>\n", junit->out);
}

/* Puts the start of the first process and the duration until the last one ended. */
static void put_times(const struct junit *junit)
{
	json_int_t begin = 0, end = 0, start_ns, end_ns;
	time_t seconds;
	json_t *process;
	struct tm parts;
	char text[40];

	JSON_EACH(process, json_object_get(junit->report->document, "processes")) {
		start_ns = json_integer_value(json_object_get(process, "start_ns"));
		end_ns = json_integer_value(json_object_get(process, "end_ns"));
		if (start_ns > 0 && (!begin || start_ns < begin))
			begin = start_ns;
		end = end_ns > end ? end_ns : end;
	}
	seconds = (time_t)(begin / 1000000000);
	if (begin && gmtime_r(&seconds, &parts) &&
	    strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &parts))
		put_attribute(junit->out, "timestamp", text);
	snprintf(text, sizeof(text), "%.3f",
		 begin && end > begin ? (double)(end - begin) / 1e9 : 0.0);
	put_attribute(junit->out, "time", text);
}

static void put_property(FILE *out, const char *name, const char *value)
{
	fputs("      <property", out);
	put_attribute(out, "name", name);
	put_attribute(out, "value", value);
	fputs("/>\n", out);
}

static char *command_text(const json_t *document)
{
	char *text = text_copy("");
	json_t *word;

	JSON_EACH(word, json_object_get(document, "command"))
		text = text_join(text, " ", text_copy(json_string_value(word)));
	return text;
}

static void put_head(const struct junit *junit)
{
	const struct report *report = junit->report;
	json_auto_t *host = jsontext_of(report->source.count ? report->source.item[0].host : NULL);
	unsigned failures = 0, skipped = 0;
	AUTO_FREE char *command = command_text(report->document);

	for (enum rule_id rule = 0; rule < RULE_COUNT; rule++) {
		failures += count_failures(junit, rule) > 0;
		skipped += is_off(junit, rule);
	}
	fprintf(junit->out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<testsuites name=\"mpsan\" tests=\"%d\" failures=\"%u\" errors=\"0\">\n"
		"  <testsuite name=\"mpsan\" tests=\"%d\" failures=\"%u\" errors=\"0\" skipped=\"%u\"",
		RULE_COUNT, failures, RULE_COUNT, failures, skipped);
	put_times(junit);
	if (json_is_string(host))
		put_attribute(junit->out, "hostname", json_string_value(host));
	fputs(">\n    <properties>\n", junit->out);
	put_property(junit->out, "version", MPSAN_VERSION);
	put_property(junit->out, "command", command);
	put_property(junit->out, "fail-on",
		     report->fail_on == GRADE_OFF ? "never" : grade_text(report->fail_on));
	fputs("    </properties>\n", junit->out);
}

static void put_limits(const struct junit *junit)
{
	const json_t *limits = json_object_get(junit->report->document, "limits");
	json_t *limit;

	if (!json_array_size(limits))
		return;
	fputs("    <system-out>\n", junit->out);
	JSON_EACH(limit, limits) {
		fputs("limit: ", junit->out);
		put_lines(junit->out, json_string_value(limit));
	}
	fputs("</system-out>\n", junit->out);
}

void out_junit(FILE *out, const struct report *report)
{
	AUTO_FREE struct junit *junit = memory_get(sizeof(*junit));
	json_t *finding;

	junit->out = out;
	junit->report = report;
	locator_init(&junit->locator);
	JSON_EACH(finding, json_object_get(report->document, "findings")) {
		enum rule_id rule = rule_find(jsontext_at(finding, "rule"));

		if (rule != RULE_COUNT)
			*ARRAY_ADD(&junit->found[rule]) = finding;
	}
	put_head(junit);
	for (enum rule_id rule = 0; rule < RULE_COUNT; rule++)
		put_case(junit, rule);
	put_limits(junit);
	fputs("  </testsuite>\n</testsuites>\n", out);
	for (enum rule_id rule = 0; rule < RULE_COUNT; rule++)
		free(junit->found[rule].item);
	locator_finish(&junit->locator);
}
