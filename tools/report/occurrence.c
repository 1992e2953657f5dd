/* SPDX-License-Identifier: Apache-2.0 */
/* Says on which hosts, ranks or sessions something was seen. */
#include "occurrence.h"

#include <stdlib.h>

#include "../base/jsontext.h"

#define NAMED_MAX 8u /* ranks, ranges of ranks, or hosts listed; further ones are only counted */

/* What distinguishes the sessions of a report. */
enum unit { UNIT_RANK, UNIT_HOST, UNIT_SESSION };

struct occurrence {
	const struct report *report;
	enum unit unit;
};

static const char *const unit_names[] = {"rank", "host", "session"};

/* The name of a source in one unit; NULL if it has none. */
static const char *name_in(const struct report_source *source, enum unit unit)
{
	return unit == UNIT_RANK ? source->rank :
	       unit == UNIT_HOST ? source->host :
				   path_base(source->dir);
}

static bool tells_apart(const struct report *report, enum unit unit)
{
	json_t *known = json_object(), *name;
	bool apart = true;

	for (uint32_t i = 0; i < report->source.count && apart; i++) {
		name = jsontext_of(name_in(&report->source.item[i], unit));
		apart = json_is_string(name) && !json_object_get(known, json_string_value(name));
		if (apart)
			json_object_set_new(known, json_string_value(name), json_true());
		json_decref(name);
	}
	json_decref(known);
	return apart;
}

struct occurrence *occurrence_create(const struct report *report)
{
	struct occurrence *occurrence = memory_get(sizeof(*occurrence));

	occurrence->report = report;
	occurrence->unit = tells_apart(report, UNIT_RANK) ? UNIT_RANK :
			   tells_apart(report, UNIT_HOST) ? UNIT_HOST :
							    UNIT_SESSION;
	return occurrence;
}

/* A flag for each source that is in a list; the caller frees it. */
static bool *marks_of(const struct occurrence *occurrence, const json_t *sources, uint32_t *count)
{
	bool *marks = memory_get(occurrence->report->source.count);
	json_t *source;

	*count = 0;
	JSON_EACH(source, sources) {
		bool *mark = &marks[json_integer_value(source)];

		*count += !*mark;
		*mark = true;
	}
	return marks;
}

static int compare_numbers(const void *one, const void *other)
{
	uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)other;

	return a < b ? -1 : a > b;
}

/* Collects the ranks of marked sources, sorted; returns their number. */
static uint32_t ranks_of(const struct occurrence *occurrence, const bool *marks, bool mark,
			 uint32_t *ranks)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < occurrence->report->source.count; i++)
		if (marks[i] == mark && occurrence->report->source.item[i].facts.rank)
			ranks[count++] = occurrence->report->source.item[i].facts.rank - 1;
	qsort(ranks, count, sizeof(*ranks), compare_numbers);
	return count;
}

/* "0-31, 40", at most NAMED_MAX items. */
static char *name_ranks(const uint32_t *ranks, uint32_t count)
{
	char *names = text_copy("");
	uint32_t pieces = 0;

	for (uint32_t i = 0, next; i < count; i = next) {
		for (next = i + 1; next < count && ranks[next] == ranks[next - 1] + 1;)
			next++;
		if (next == i + 2) /* two neighbours are listed, not joined to a range */
			next--;
		if (pieces++ == NAMED_MAX)
			return text_join(names, ", ", text_copy("…"));
		names = text_join(names, ", ",
				  next == i + 1 ? text_format("%u", ranks[i]) :
						  text_format("%u-%u", ranks[i], ranks[next - 1]));
	}
	return names;
}

static char *name_marked(const struct occurrence *occurrence, const bool *marks, bool mark)
{
	const struct report *report = occurrence->report;
	char *names = text_copy("");
	uint32_t pieces = 0;

	if (occurrence->unit == UNIT_RANK) {
		AUTO_FREE uint32_t *ranks = memory_get(report->source.count * sizeof(*ranks));

		free(names);
		names = name_ranks(ranks, ranks_of(occurrence, marks, mark, ranks));
		return names;
	}
	for (uint32_t i = 0; i < report->source.count; i++) {
		if (marks[i] != mark)
			continue;
		if (pieces++ == NAMED_MAX)
			return text_join(names, ", ", text_copy("…"));
		names = text_join(names, ", ",
				  text_copy(name_in(&report->source.item[i], occurrence->unit)));
	}
	return names;
}

char *occurrence_words(const struct occurrence *occurrence, const json_t *sources)
{
	uint32_t all = occurrence->report->source.count, count;
	const char *unit = unit_names[occurrence->unit];
	AUTO_FREE bool *marks = marks_of(occurrence, sources, &count);
	bool few_without = count * 2 > all;
	AUTO_FREE char *names = NULL;

	if (count < all)
		names = name_marked(occurrence, marks, !few_without);
	return !names ? text_format("on all %u %ss", all, unit) :
			text_format("on %u of %u %ss: %s%s", count, all, unit,
				    few_without ? "not on " : "", names);
}

void occurrence_finding(const struct occurrence *occurrence, json_t *finding, const json_t *sources)
{
	const struct report *report = occurrence->report;
	uint32_t *ranks = memory_get(report->source.count * sizeof(*ranks)), count;
	json_t *hosts = json_array(), *numbers = json_array(), *known = json_object(), *name;
	AUTO_FREE bool *marks = marks_of(occurrence, sources, &count);
	AUTO_FREE char *words = occurrence_words(occurrence, sources);

	count = ranks_of(occurrence, marks, true, ranks);
	for (uint32_t i = 0; i < count; i++)
		json_array_append_new(numbers, json_integer(ranks[i]));
	for (uint32_t i = 0; i < report->source.count; i++) {
		if (!marks[i] || !report->source.item[i].host)
			continue;
		name = jsontext_of(report->source.item[i].host);
		if (!json_object_get(known, json_string_value(name)))
			json_array_append(hosts, name);
		json_object_set_new(known, json_string_value(name), json_true());
		json_decref(name);
	}
	json_object_set_new(finding, "spread", jsontext_of(words));
	json_object_set_new(finding, "hosts", hosts);
	json_object_set_new(finding, "ranks", numbers);
	json_decref(known);
	free(ranks);
}

void occurrence_name(json_t *object, const struct report_source *source)
{
	json_object_set_new(object, "host", jsontext_of(source->host));
	if (!json_object_get(object, "rank"))
		json_object_set_new(object, "rank",
				    source->facts.rank ? json_integer(source->facts.rank - 1) :
							 json_null());
}
