/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --report text: the document as text, like a sanitizer's report. Everything printed comes from the
 * JSON document, so both always agree. Neighbour: report.h.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/jsontext.h"
#include "../base/line.h"
#include "../base/stream.h"
#include "../report/follow.h"
#include "../report/kinds.h"
#include "../report/practices.h"
#include "../rules/catalog.h"
#include "formats.h"
#include "plain_text.h"
#include "text_frames.h"

#define NOTES_SHOWN 3u /* per rule; other formats have all */

/* Prints a text without line breaks and control characters. */
static void print_line(FILE *out, const char *text)
{
	line_put(out, text);
	fputc('\n', out);
}

static bool is_coloured(FILE *out, const struct text_view *view)
{
	if (view->colour != COLOUR_AUTO)
		return view->colour == COLOUR_ALWAYS;
	return stream_is_coloured(out);
}

static const char *colour_of(const char *severity)
{
	if (!strcmp(severity, "error"))
		return "\033[1;31m";
	return strcmp(severity, "warning") ? "\033[1;36m" : "\033[1;35m";
}

/* Prints how often, and on which hosts or ranks. */
static void print_spread(FILE *out, const json_t *finding)
{
	const char *occurrence = jsontext_at(finding, "spread");
	long long count = jsontext_number(finding, "count");

	if (count > 1)
		fprintf(out, " (seen %lld times", count);
	if (*occurrence)
		fprintf(out, "%s%s", count > 1 ? ", " : " (", occurrence);
	if (count > 1 || *occurrence)
		fputc(')', out);
	fputs("\n\n", out);
}

/* Prints the host: pids of several hosts may be the same. */
static void print_whose(FILE *out, const json_t *finding)
{
	const char *host = jsontext_at(finding, "host");
	long long outer = jsontext_number(finding, "outer_pid");

	fprintf(out, "==%s%s%lld", host, *host ? ":" : "", jsontext_number(finding, "pid"));
	if (outer)
		fprintf(out, " (%lld outside)", outer);
	fputs("==", out);
}

void out_text_finding(FILE *out, const json_t *finding, const struct text_view *view)
{
	const json_t *evidence = json_object_get(finding, "evidence");
	const char *severity = jsontext_at(finding, "severity");
	bool colour = is_coloured(out, view);
	AUTO_FREE char *head = plain_head(finding);
	json_t *step;
	size_t i;

	print_whose(out, finding);
	fprintf(out, " mpsan: %s%s%s: %s: ", colour ? colour_of(severity) : "", severity,
		colour ? "\033[0m" : "", jsontext_at(finding, "rule"));
	fprintf(out, "%s\n", head);
	if (view->verbose) {
		fputs("  in full: ", out);
		print_line(out, jsontext_at(finding, "message"));
	}
	json_array_foreach(evidence, i, step) {
		fprintf(out, "  %zu. ", i + 1);
		print_line(out, jsontext_at(step, "what"));
		text_frames(out, step, json_array_size(evidence), view->verbose);
	}
	if (*jsontext_at(finding, "outcome")) {
		fprintf(out, "  outcome: ");
		print_line(out, jsontext_at(finding, "outcome"));
	}
	fputs("  fix: ", out);
	print_line(out, jsontext_at(finding, "fix"));
	fprintf(out, "  fingerprint: %s", jsontext_at(finding, "fingerprint"));
	print_spread(out, finding);
}

void out_text_outcome(FILE *out, const json_t *finding)
{
	if (!*jsontext_at(finding, "outcome"))
		return;
	print_whose(out, finding);
	fprintf(out, " mpsan: %s: outcome: ", jsontext_at(finding, "rule"));
	print_line(out, jsontext_at(finding, "outcome"));
}

static void print_count(FILE *out, unsigned count, const char *what, const char *behind)
{
	fprintf(out, "%u %s%s%s", count, what, count == 1 ? "" : "s", behind);
}

/* Prints the number of sessions, and how exact their clocks are. */
static void print_hosts(FILE *out, const json_t *document)
{
	const json_t *hosts = json_object_get(document, "hosts");
	json_int_t most = 0, uncertain = 0;
	json_t *host;

	if (json_array_size(hosts) < 2)
		return;
	JSON_EACH(host, hosts) {
		most = llabs(jsontext_number(host, "skew_ns")) > most ?
			       llabs(jsontext_number(host, "skew_ns")) :
			       most;
		uncertain = jsontext_number(host, "uncertainty_ns") > uncertain ?
				    jsontext_number(host, "uncertainty_ns") :
				    uncertain;
	}
	fprintf(out, "mpsan: %zu sessions in one report", json_array_size(hosts));
	if (most)
		fprintf(out, "; clocks corrected by up to %.6f s", (double)most / 1e9);
	if (uncertain)
		fprintf(out, "; clocks uncertain by up to %.6f s", (double)uncertain / 1e9);
	fputc('\n', out);
}

/* Counts those of one kind, by host and PID: images after exec, of which each PID once, or the others. */
static size_t count_images(const json_t *document, bool after_exec, json_t *seen)
{
	size_t count = 0;
	json_t *process;

	JSON_EACH(process, json_object_get(document, "processes")) {
		AUTO_FREE char *key = text_format("%s %lld", jsontext_at(process, "host"),
						  jsontext_number(process, "pid"));

		if (!strcmp(jsontext_at(process, "how"), "exec") == after_exec) {
			count += !after_exec || !json_object_get(seen, key);
			json_object_set_new(seen, key, json_true());
		}
	}
	return count;
}

/* Counts an image after exec with the same process, if that one is there. */
static size_t count_processes(const json_t *document)
{
	json_auto_t *seen = json_object();

	return count_images(document, false, seen) + count_images(document, true, seen);
}

void out_text_summary(FILE *out, const json_t *document)
{
	size_t processes = count_processes(document);
	json_t *limit;

	JSON_EACH(limit, json_object_get(document, "limits")) {
		fputs("mpsan: limit: ", out);
		print_line(out, json_string_value(limit));
	}
	print_hosts(out, document);
	fputs("mpsan: ", out);
	print_count(out, report_count(document, "error"), "error", ", ");
	print_count(out, report_count(document, "warning"), "warning", ", ");
	print_count(out, report_count(document, "note"), "note", "");
	if (jsontext_number(document, "suppressed"))
		fprintf(out, ", %lld suppressed", jsontext_number(document, "suppressed"));
	fprintf(out, " in %zu process%s\n", processes, processes == 1 ? "" : "es");
}

static bool is_note(const json_t *finding)
{
	return !strcmp(jsontext_at(finding, "severity"), "note");
}

void out_text_notes(FILE *out, const json_t *document, const struct text_view *view)
{
	const json_t *findings = json_object_get(document, "findings");
	unsigned shown[RULE_COUNT + 1] = {0}, left_out = 0;
	json_t *finding;

	JSON_EACH(finding, findings) {
		if (!is_note(finding) || follows(finding))
			continue;
		if (shown[rule_find(jsontext_at(finding, "rule"))]++ < NOTES_SHOWN)
			out_text_finding(out, finding, view);
		else
			left_out++;
	}
	if (left_out)
		fprintf(out, "mpsan: %u more notes of the same rules (--report json has all)\n\n",
			left_out);
	follow_print(out, document);
}

void out_text(FILE *out, const struct report *report)
{
	const json_t *document = report->document;
	json_t *finding;

	kinds_print(out, json_object_get(document, "triage"), "mpsan: ");
	if (report->picture)
		fprintf(out, "\n%s\n", report->picture);
	JSON_EACH(finding, json_object_get(document, "findings"))
		if (!is_note(finding))
			out_text_finding(out, finding, &report->view);
	out_text_notes(out, document, &report->view);
	practices_print(out, document, report->view.practices);
	out_text_summary(out, document);
}
