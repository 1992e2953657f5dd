/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of the timeline that findings' pictures show: threads that findings name, and the
 * longest waits and holds of each. Neighbour: out_html.h.
 */
#include "out_html.h"

#include <stdlib.h>

#include "../base/jsontext.h"

#define SPANS_MAX 24u /* per thread */

/* The threads that findings name, sorted: pid and tid in one number. */
struct named {
	ARRAY(uint64_t) keys;
};

static uint64_t html_line_key_of(uint64_t pid, uint64_t tid)
{
	return pid << 32 | (tid & UINT32_MAX);
}

static void add_key(struct named *named, const json_t *object)
{
	const json_t *tid = json_object_get(object, "tid");

	if (json_integer_value(tid))
		*ARRAY_ADD(&named->keys) = html_line_key_of(
			(uint64_t)json_integer_value(json_object_get(object, "pid")),
			(uint64_t)json_integer_value(tid));
}

static void html_line_gather(struct named *named, const json_t *findings)
{
	json_t *finding, *step;

	JSON_EACH(finding, findings)
		JSON_EACH(step, json_object_get(finding, "evidence")) {
			add_key(named, step);
			add_key(named, json_object_get(step, "waits_for"));
		}
	if (named->keys.count)
		qsort(named->keys.item, named->keys.count, sizeof(uint64_t), compare_words);
}

static bool is_named(const struct named *named, const struct timeline *line,
		     const struct line_thread *thread)
{
	uint64_t key = html_line_key_of(line->processes.item[thread->process].pid, thread->tid);

	return named->keys.count &&
	       bsearch(&key, named->keys.item, named->keys.count, sizeof(uint64_t), compare_words);
}

static json_t *threads_json(const struct named *named, const struct timeline *line, uint32_t *place)
{
	json_t *threads = json_array();

	for (uint32_t i = 0; i < line->threads.count; i++) {
		const struct line_thread *thread = &line->threads.item[i];

		if (!is_named(named, line, thread))
			continue;
		json_array_append_new(
			threads,
			json_pack("[I, I, I, I, I]",
				  (json_int_t)line->processes.item[thread->process].pid,
				  (json_int_t)thread->tid, (json_int_t)thread->begin_ns,
				  (json_int_t)thread->end_ns,
				  (json_int_t)line->processes.item[thread->process].source));
		place[i] = (uint32_t)json_array_size(threads);
	}
	return threads;
}

static uint64_t length_of(const struct line_span *span)
{
	return (span->end_ns ? span->end_ns : UINT64_MAX) - span->begin_ns;
}

static int compare_spans(const void *a, const void *b)
{
	const struct line_span *left = *(const struct line_span *const *)a,
			       *right = *(const struct line_span *const *)b;

	if (left->thread != right->thread)
		return left->thread < right->thread ? -1 : 1;
	return length_of(left) > length_of(right) ? -1 : length_of(left) < length_of(right);
}

/* The longest of each thread first; `left_out` counts the others. */
static json_t *spans_json(const struct timeline *line, const uint32_t *place, uint64_t *left_out)
{
	AUTO_FREE const struct line_span **list =
		memory_get((line->spans.count + 1) * sizeof(*list));
	json_t *spans = json_array();
	uint32_t count = 0, run = 0;

	for (uint32_t i = 0; i < line->spans.count; i++)
		if (place[line->spans.item[i].thread])
			list[count++] = &line->spans.item[i];
	qsort(list, count, sizeof(*list), compare_spans);
	for (uint32_t i = 0; i < count; i++) {
		run = i && list[i]->thread == list[i - 1]->thread ? run + 1 : 0;
		if (run >= SPANS_MAX) {
			++*left_out;
			continue;
		}
		json_array_append_new(
			spans, json_pack("[I, I, I, I, o]", (json_int_t)place[list[i]->thread] - 1,
					 (json_int_t)list[i]->kind, (json_int_t)list[i]->begin_ns,
					 (json_int_t)list[i]->end_ns, jsontext_of(list[i]->what)));
	}
	return spans;
}

json_t *html_line(const struct report *report)
{
	const struct timeline *line = report->timeline;
	json_t *threads, *spans;
	struct named named = {0};
	uint64_t left_out;
	AUTO_FREE uint32_t *place = NULL;

	if (!line)
		return json_null();
	left_out = line->left_out;
	html_line_gather(&named, json_object_get(report->document, "findings"));
	place = memory_get((line->threads.count + 1) * sizeof(*place));
	threads = threads_json(&named, line, place);
	spans = spans_json(line, place, &left_out);
	free(named.keys.item);
	return json_pack("{s:o, s:o, s:I}", "threads", threads, "spans", spans, "left_out",
			 (json_int_t)left_out);
}
