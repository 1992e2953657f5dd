/* SPDX-License-Identifier: Apache-2.0 */
/* Merges the documents of several sessions. */
#include "merge_sessions.h"

#include <stdlib.h>
#include <string.h>

#include "../base/jsontext.h"
#include "../base/limit.h"
#include "follow.h"
#include "merge_ranks.h"
#include "occurrence.h"

/* What one session added to the document's arrays. */
struct part {
	uint32_t source;
	int64_t skew_ns;
	size_t process_begin, process_end;
	size_t limit_begin, limit_end;
};

struct merge_sessions {
	json_t *document; /* borrowed */
	json_t *findings; /* by fingerprint: the finding in the document */
	json_t *seen; /* by fingerprint: the sessions it was seen in */
	json_t *told; /* by fingerprint: the session whose evidence is shown */
	struct merge_ranks *ranks;
	ARRAY(struct part) parts;
	ARRAY(int) ends; /* severity of each session's end */
	bool ends_differ, commands_differ;
};

static const char *print_of(const json_t *finding)
{
	return jsontext_at(finding, "fingerprint");
}

struct merge_sessions *merge_sessions_create(json_t *document)
{
	struct merge_sessions *merge = memory_get(sizeof(*merge));
	json_t *finding;

	merge->document = document;
	merge->findings = json_object();
	merge->seen = json_object();
	merge->told = json_object();
	merge->ranks = merge_ranks_create();
	JSON_EACH(finding, json_object_get(document, "findings"))
		json_object_set(merge->findings, print_of(finding), finding);
	return merge;
}

void merge_sessions_destroy(struct merge_sessions *merge)
{
	if (!merge)
		return;
	json_decref(merge->findings);
	json_decref(merge->seen);
	json_decref(merge->told);
	merge_ranks_destroy(merge->ranks);
	free(merge->parts.item);
	free(merge->ends.item);
	free(merge);
}

static enum grade merge_sessions_grade_of(const json_t *finding)
{
	enum grade grade = GRADE_OFF;

	grade_parse(json_string_value(json_object_get(finding, "severity")), &grade);
	return grade;
}

static json_int_t count_of(const json_t *finding)
{
	return json_integer_value(json_object_get(finding, "count"));
}

static void shift_time(json_t *time, int64_t skew_ns)
{
	if (json_integer_value(time))
		json_integer_set(
			time, (json_int_t)((uint64_t)json_integer_value(time) - (uint64_t)skew_ns));
}

static void shift(json_t *object, const char *key, int64_t skew_ns)
{
	shift_time(json_object_get(object, key), skew_ns);
}

/* Shifts the times of the memory that a finding is about. */
static void shift_subject(json_t *subject, int64_t skew_ns)
{
	json_t *use;

	shift(subject, "begin_ns", skew_ns);
	shift(subject, "end_ns", skew_ns);
	JSON_EACH(use, json_object_get(subject, "uses")) {
		shift_time(json_array_get(use, 1), skew_ns);
		shift_time(json_array_get(use, 2), skew_ns);
	}
}

/* Under a launch agent one session has processes of several ranks. */
static void add_rank(json_t *copy, const json_t *finding, const struct reader *reader)
{
	json_int_t pid = json_integer_value(json_object_get(finding, "pid"));

	READER_EACH_SLOT(reader, slot) {
		const struct mpsan_process *process = &reader->session.table[slot];

		if (process->pid != pid || !mpsan_process_rank(process))
			continue;
		json_object_set_new(copy, "rank", json_integer(mpsan_process_rank(process) - 1));
		return;
	}
}

static json_t *copy_finding(const json_t *finding, int64_t skew_ns, const struct reader *reader)
{
	json_t *copy = json_deep_copy(finding), *step;

	add_rank(copy, finding, reader);
	if (!skew_ns)
		return copy;
	shift(copy, "time_ns", skew_ns);
	shift_subject(json_object_get(copy, "subject"), skew_ns);
	JSON_EACH(step, json_object_get(copy, "evidence")) {
		shift(step, "time_ns", skew_ns);
		shift(json_object_get(step, "waits_for"), "since_ns", skew_ns);
	}
	return copy;
}

static void note_source(struct merge_sessions *merge, const json_t *finding, uint32_t source)
{
	json_t *seen = json_object_get(merge->seen, print_of(finding));
	size_t count = json_array_size(seen);

	if (!seen) {
		seen = json_array();
		json_object_set_new(merge->seen, print_of(finding), seen);
	}
	if (!count || json_integer_value(json_array_get(seen, count - 1)) != source)
		json_array_append_new(seen, json_integer(source));
}

/* The instance with the worst grade supplies the evidence. */
static void merge_finding(struct merge_sessions *merge, const struct part *part,
			  const struct reader *reader, const json_t *finding)
{
	json_t *same = json_object_get(merge->findings, print_of(finding));
	json_int_t count = count_of(same) + count_of(finding);

	note_source(merge, finding, part->source);
	if (!same) {
		same = copy_finding(finding, part->skew_ns, reader);
		json_array_append_new(json_object_get(merge->document, "findings"), same);
		json_object_set(merge->findings, print_of(finding), same);
		json_object_set_new(merge->told, print_of(finding), json_integer(part->source));
		return;
	}
	if (merge_sessions_grade_of(finding) > merge_sessions_grade_of(same)) {
		json_auto_t *copy = copy_finding(finding, part->skew_ns, reader);

		json_object_clear(same); /* drop fields that only the replaced instance had */
		json_object_update(same, copy);
		json_object_set_new(merge->told, print_of(finding), json_integer(part->source));
	}
	json_object_set_new(same, "count", json_integer(count));
}

static void add_processes(struct merge_sessions *merge, int64_t skew_ns,
			  const struct reader *reader)
{
	json_t *processes = json_object_get(merge->document, "processes");

	READER_EACH_SLOT(reader, slot) {
		json_t *process = process_json(reader, slot);

		if (!process)
			continue;
		shift(process, "start_ns", skew_ns);
		shift(process, "end_ns", skew_ns);
		json_array_append_new(processes, process);
	}
}

void merge_sessions_add(struct merge_sessions *merge, uint32_t source, int64_t skew_ns,
			const struct judge *judge)
{
	json_t *document = merge->document, *processes = json_object_get(document, "processes");
	json_t *limits = json_object_get(document, "limits");
	struct part *part = ARRAY_ADD(&merge->parts);

	*part = (struct part){.source = source,
			      .skew_ns = skew_ns,
			      .process_begin = json_array_size(processes),
			      .limit_begin = json_array_size(limits)};
	/* By severity, then in the order of their triggers. */
	for (int grade = GRADE_ERROR; grade >= GRADE_NOTE; grade--)
		for (uint32_t i = 0; i < judge->found.count; i++)
			if (judge->found.item[i].count && (int)judge->found.item[i].grade == grade)
				merge_finding(merge, part, judge->reader,
					      judge->found.item[i].json);
	json_object_set_new(
		document, "suppressed",
		json_integer(json_integer_value(json_object_get(document, "suppressed")) +
			     judge->suppressed));
	add_processes(merge, skew_ns, judge->reader);
	merge_ranks_add(merge->ranks, source, skew_ns, judge);
	limits_add(document, judge);
	part->process_end = json_array_size(processes);
	part->limit_end = json_array_size(limits);
	follow_findings(document);
}

/* A signal is worse than an exit code, that than an unknown end, that than success. */
static int badness(const struct report_exit *end)
{
	if (end->signal)
		return 3;
	return end->code > 0 ? 2 : end->code < 0;
}

void merge_sessions_end(struct merge_sessions *merge, const json_t *command,
			const struct report_exit *end)
{
	int worst = 0, bad = badness(end);

	for (uint32_t i = 0; i < merge->ends.count; i++)
		worst = merge->ends.item[i] > worst ? merge->ends.item[i] : worst;
	merge->ends_differ |= merge->ends.count && bad != merge->ends.item[0];
	merge->commands_differ |= !json_equal(command, json_object_get(merge->document, "command"));
	*ARRAY_ADD(&merge->ends) = bad;
	if (bad > worst)
		json_object_set_new(merge->document, "exit", report_exit_json(end));
}

/* Adds host and rank to processes: pids of different hosts may be the same. */
static void name_processes(const struct report *report)
{
	const json_t *processes = json_object_get(report->document, "processes");

	for (uint32_t i = 0; i < report->merge->parts.count; i++) {
		const struct part *part = &report->merge->parts.item[i];

		for (size_t at = part->process_begin; at < part->process_end; at++)
			occurrence_name(json_array_get(processes, at),
					&report->source.item[part->source]);
	}
}

/* Limits that several sessions share become one line that says which. */
static void name_limits(const struct report *report, const struct occurrence *occurrence)
{
	json_t *limits = json_object_get(report->document, "limits"), *seen = json_object();
	json_t *merged = json_array(), *sources;
	const char *text;
	size_t next = 0;

	for (uint32_t i = 0; i < report->merge->parts.count; i++) {
		const struct part *part = &report->merge->parts.item[i];

		while (next < part->limit_begin)
			json_array_append(merged, json_array_get(limits, next++));
		for (; next < part->limit_end; next++) {
			text = json_string_value(json_array_get(limits, next));
			sources = json_object_get(seen, text);
			if (!sources)
				json_object_set_new(seen, text, sources = json_array());
			json_array_append_new(sources, json_integer(part->source));
		}
	}
	for (; next < json_array_size(limits); next++)
		json_array_append(merged, json_array_get(limits, next));
	json_object_foreach(seen, text, sources) {
		AUTO_FREE char *words = occurrence_words(occurrence, sources), *line = NULL;

		line = text_format("%s (%s)", text, words);
		json_array_append_new(merged, jsontext_of(line));
	}
	json_object_set_new(report->document, "limits", merged);
	json_decref(seen);
}

static int compare_findings(const void *one, const void *other)
{
	const json_t *a = *(json_t *const *)one, *b = *(json_t *const *)other;
	json_int_t at = json_integer_value(json_object_get(a, "time_ns")),
		   bt = json_integer_value(json_object_get(b, "time_ns"));
	enum grade ag = merge_sessions_grade_of(a), bg = merge_sessions_grade_of(b);

	if (ag != bg)
		return ag > bg ? -1 : 1;
	if (at != bt)
		return at < bt ? -1 : 1;
	return strcmp(print_of(a), print_of(b));
}

static int compare_processes(const void *one, const void *other)
{
	json_int_t a = json_integer_value(json_object_get(*(json_t *const *)one, "start_ns")),
		   b = json_integer_value(json_object_get(*(json_t *const *)other, "start_ns"));

	return a < b ? -1 : a > b;
}

static void sort(json_t *document, const char *key, int (*compare)(const void *, const void *))
{
	json_t *array = json_object_get(document, key), *sorted = json_array();
	size_t count = json_array_size(array);
	json_t **item = memory_get(count * sizeof(*item));

	for (size_t i = 0; i < count; i++)
		item[i] = json_array_get(array, i);
	qsort(item, count, sizeof(*item), compare);
	for (size_t i = 0; i < count; i++)
		json_array_append(sorted, item[i]);
	free(item);
	json_object_set_new(document, key, sorted);
}

static void name_findings(const struct report *report, const struct occurrence *occurrence)
{
	json_t *finding;

	JSON_EACH(finding, json_object_get(report->document, "findings")) {
		json_t *source = json_object_get(report->merge->told, print_of(finding));

		occurrence_name(finding, &report->source.item[json_integer_value(source)]);
		occurrence_finding(occurrence, finding,
				   json_object_get(report->merge->seen, print_of(finding)));
	}
}

void merge_sessions_finish(struct report *report)
{
	struct merge_sessions *merge = report->merge;
	AUTO_FREE struct occurrence *occurrence = NULL;

	if (report->source.count < 2 || !merge->parts.count)
		return;
	occurrence = occurrence_create(report);
	if (merge->ends_differ)
		report_limit(
			report->document,
			"the sessions ended differently; `exit` is the worst, `hosts` lists each");
	if (merge->commands_differ)
		report_limit(
			report->document,
			"the sessions ran different commands; `command` is the first one's, `hosts` lists each");
	name_processes(report);
	name_findings(report, occurrence);
	name_limits(report, occurrence);
	merge_ranks_finish(merge->ranks, report);
	sort(report->document, "findings", compare_findings);
	sort(report->document, "processes", compare_processes);
}
