/* SPDX-License-Identifier: Apache-2.0 */
/* Judges the best practices of practices.def: kept, violated or not observable. */
#include "practices.h"

#include <stdlib.h>
#include <string.h>

#include "../base/jsontext.h"
#include "../rules/catalog.h"
#include "run_course.h"

#define SLUG_BYTES 64

static const struct practice {
	const char *pages, *statement;
	enum grade least; /* lowest grade of a finding that violates it */
	unsigned needs; /* bits of enum run_need */
	enum run_ends ends;
	const char *rules; /* slugs, separated by blanks */
	const char *why;
} practices[] = {
#define PRACTICE(pages, statement, least, needs, ends, rules, why) \
	{pages, statement, least, needs, ends, rules, why},
#include "practices.def"
#undef PRACTICE
};

static const char *const page_names[] = {
	"PyTorch best practices",
	"PyTorch best practices, older Chinese translation",
	"English tutorial",
	"Chinese tutorial",
};

static const char *const statuses[] = {"violated", "kept", "not observable"};

/* Copies the next slug; false after the last. */
static bool next_slug(const char **rest, char *slug)
{
	size_t length;

	*rest += strspn(*rest, " ");
	length = strcspn(*rest, " ");
	if (!length || length >= SLUG_BYTES)
		return false;
	memcpy(slug, *rest, length);
	slug[length] = '\0';
	*rest += length;
	return true;
}

static bool is_violation(const json_t *finding, const char *slug, enum grade least)
{
	enum grade grade;

	return !strcmp(jsontext_at(finding, "rule"), slug) &&
	       grade_parse(jsontext_at(finding, "severity"), &grade) && grade >= least;
}

/* Fingerprints of the findings that violate it. */
static json_t *violations(const json_t *document, const struct practice *practice)
{
	const json_t *findings = json_object_get(document, "findings");
	const char *rest = practice->rules;
	char slug[SLUG_BYTES];
	json_t *prints = json_array(), *finding;

	while (next_slug(&rest, slug))
		JSON_EACH(finding, findings)
			if (is_violation(finding, slug, practice->least))
				json_array_append(prints, json_object_get(finding, "fingerprint"));
	return prints;
}

/*
 * Why a practice that no finding violates cannot be called kept; NULL if it is kept. The caller
 * frees the text.
 */
static char *obstacle(const json_t *document, const struct judge *judge,
		      const struct practice *practice)
{
	const char *rest = practice->rules, *missing = run_missing(judge, practice->needs);
	char slug[SLUG_BYTES], *cut;

	if (!*practice->rules)
		return text_format("%s", practice->why);
	if (missing)
		return text_format("%s", missing);
	cut = run_cut_off(judge, json_object_get(document, "exit"));
	cut = cut ? cut : run_hurt(judge, practice->ends);
	if (cut)
		return cut;
	if (judge->grades->floor > practice->least)
		return text_format("findings below %s are not reported",
				   grade_text(judge->grades->floor));
	while (next_slug(&rest, slug)) {
		enum rule_id rule = rule_find(slug);

		if (rule == RULE_COUNT)
			return text_format("no such rule: %s", slug);
		if (!grades_asks(judge->grades, rule))
			return text_format("the rule %s is off", slug);
		if (judge->hushed[rule])
			return text_format("findings of %s were suppressed", slug);
	}
	return NULL;
}

static json_t *pages_json(const char *pages)
{
	json_t *list = json_array();

	for (; *pages; pages++)
		json_array_append_new(list, json_string(page_names[*pages - 'A']));
	return list;
}

static json_t *rules_json(const char *rest)
{
	json_t *list = json_array();
	char slug[SLUG_BYTES];

	while (next_slug(&rest, slug))
		json_array_append_new(list, json_string(slug));
	return list;
}

/* `before`: the result of an earlier session, or NULL. */
static json_t *practice_json(const json_t *document, const struct judge *judge,
			     const struct practice *practice, const json_t *before)
{
	json_t *prints = violations(document, practice);
	AUTO_FREE char *why = json_array_size(prints) ? NULL : obstacle(document, judge, practice);
	const char *status = json_array_size(prints) ? statuses[0] :
			     why		     ? statuses[2] :
						       statuses[1];

	if (!why && status == statuses[1] && !strcmp(jsontext_at(before, "status"), statuses[2])) {
		why = text_format("%s", jsontext_at(before, "why"));
		status = statuses[2];
	}
	if (!why && status == statuses[1] && judge->reader->facts.blind)
		why = text_format("as far as observed; some processes were not watched");
	return json_pack("{s:o, s:s, s:s, s:o, s:o, s:o}", "pages", pages_json(practice->pages),
			 "statement", practice->statement, "status", status, "rules",
			 rules_json(practice->rules), "findings", prints, "why",
			 why ? jsontext_of(why) : json_null());
}

static bool has_python(const struct reader *reader)
{
	READER_EACH_SLOT(reader, slot)
		if (reader->session.table[slot].python)
			return true;
	return false;
}

void practices_add(json_t *document, const struct judge *judge)
{
	const json_t *before = json_object_get(document, "practices");
	json_t *list = json_array();

	if (json_array_size(before) || has_python(judge->reader))
		for (size_t i = 0; i < sizeof(practices) / sizeof(*practices); i++)
			json_array_append_new(list, practice_json(document, judge, &practices[i],
								  json_array_get(before, i)));
	json_object_set_new(document, "practices", list);
}

static unsigned count_status(const json_t *list, const char *status)
{
	unsigned count = 0;
	json_t *practice;

	JSON_EACH(practice, list)
		count += !strcmp(jsontext_at(practice, "status"), status);
	return count;
}

static void print_count(FILE *out, const json_t *list)
{
	fprintf(out, "mpsan: best practices: %u kept, %u violated, %u not observable\n",
		count_status(list, statuses[1]), count_status(list, statuses[0]),
		count_status(list, statuses[2]));
}

static void print_findings(FILE *out, const json_t *document, const json_t *prints)
{
	json_t *finding, *print;

	JSON_EACH(print, prints)
		JSON_EACH(finding, json_object_get(document, "findings"))
			if (json_equal(json_object_get(finding, "fingerprint"), print))
				fprintf(out, "                    %s: %s, %s\n",
					jsontext_at(finding, "severity"),
					jsontext_at(finding, "rule"), json_string_value(print));
}

static bool has_torch(const json_t *document)
{
	json_t *process;

	JSON_EACH(process, json_object_get(document, "processes"))
		if (json_is_true(json_object_get(process, "torch")))
			return true;
	return false;
}

void practices_print(FILE *out, const json_t *document, bool all)
{
	const json_t *list = json_object_get(document, "practices");
	json_t *practice;

	if (!json_array_size(list) ||
	    !(all || (has_torch(document) && count_status(list, statuses[0]))))
		return;
	fputs("mpsan: best practices of PyTorch's multiprocessing documentation:\n", out);
	for (size_t status = 0; status < (all ? 3 : 1); status++)
		JSON_EACH(practice, list) {
			if (strcmp(jsontext_at(practice, "status"), statuses[status]))
				continue;
			fprintf(out, "  %-15s %s%s%s%s\n", statuses[status],
				jsontext_at(practice, "statement"),
				*jsontext_at(practice, "why") ? " (" : "",
				jsontext_at(practice, "why"),
				*jsontext_at(practice, "why") ? ")" : "");
			print_findings(out, document, json_object_get(practice, "findings"));
		}
	print_count(out, list);
	fputc('\n', out);
}
