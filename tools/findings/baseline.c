/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a baseline, looks up findings in it, and applies it to a report. */
#include "baseline.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/jsontext.h"
#include "../base/limit.h"
#include "../base/textfile.h"

#define DIGITS 16u
#define NAMED_MAX 8u /* unused lines listed; further ones are only counted */

static int by_fingerprint(const void *one, const void *other)
{
	uint64_t a = ((const struct baseline_line *)one)->fingerprint;
	uint64_t b = ((const struct baseline_line *)other)->fingerprint;

	return (a > b) - (a < b);
}

static bool parse_fingerprint(const char *text, size_t length, uint64_t *fingerprint)
{
	if (length != DIGITS || strspn(text, "0123456789abcdef") < DIGITS)
		return false;
	*fingerprint = strtoull(text, NULL, 16);
	return true;
}

static char *take_grade(const struct textfile *file, const char *word, struct baseline_line *line)
{
	line->grade = GRADE_ERROR;
	if (!*word || (grade_parse(word, &line->grade) && line->grade != GRADE_OFF))
		return NULL;
	return textfile_wrong(file, word, "no such severity: %.40s; use error, warning or note",
			      word);
}

/* Splits the next word off; "" at the end of the line. */
static char *word_of(char **rest)
{
	char *word = *rest + strspn(*rest, " \t");

	*rest = word + strcspn(word, " \t");
	if (**rest)
		*(*rest)++ = '\0';
	return word;
}

static char *baseline_take_line(struct baseline *baseline, struct textfile *file)
{
	char *remark = strchr(file->line, '#'), *rest, *word, *rule, *wrong;
	struct baseline_line line = {.number = file->number};

	if (remark)
		*remark++ = '\0';
	rest = textfile_trim(file->line);
	if (!*rest)
		return NULL;
	word = word_of(&rest);
	if (!parse_fingerprint(word, strlen(word), &line.fingerprint))
		return textfile_wrong(
			file, word,
			"not a fingerprint: %.40s; expected 16 hexadecimal digits, as in reports",
			word);
	wrong = take_grade(file, word_of(&rest), &line);
	if (wrong)
		return wrong;
	rule = word_of(&rest);
	rest += strspn(rest, " \t");
	if (*rest)
		return textfile_wrong(
			file, rest,
			"unexpected %.40s; a line is FINGERPRINT SEVERITY RULE # REMARK", rest);
	line.rule = text_copy(rule);
	line.remark = text_copy(remark ? textfile_strip(remark) : "");
	*ARRAY_ADD(&baseline->line) = line;
	return NULL;
}

char *baseline_read(struct baseline *baseline, const char *file)
{
	struct textfile text;
	char *wrong = textfile_read(&text, file);
	int error = wrong ? errno : 0;

	*baseline = (struct baseline){.file = text_copy(file)};
	if (error) {
		char *longer = text_format("--baseline %s%s", wrong,
					   error == ENOENT ? "; --write-baseline creates one" : "");

		free(wrong);
		wrong = longer;
	}
	while (!wrong && textfile_next(&text))
		wrong = baseline_take_line(baseline, &text);
	textfile_finish(&text);
	if (baseline->line.count)
		qsort(baseline->line.item, baseline->line.count, sizeof(*baseline->line.item),
		      by_fingerprint);
	errno = error;
	return wrong;
}

void baseline_finish(struct baseline *baseline)
{
	for (uint32_t i = 0; i < baseline->line.count; i++) {
		free(baseline->line.item[i].rule);
		free(baseline->line.item[i].remark);
	}
	free(baseline->line.item);
	free(baseline->file);
	*baseline = (struct baseline){0};
}

struct baseline_line *baseline_find(const struct baseline *baseline, const char *fingerprint)
{
	struct baseline_line key, *line;

	if (!baseline->line.count || !fingerprint ||
	    !parse_fingerprint(fingerprint, strlen(fingerprint), &key.fingerprint))
		return NULL;
	line = bsearch(&key, baseline->line.item, baseline->line.count, sizeof(key),
		       by_fingerprint);
	while (line && line > baseline->line.item && line[-1].fingerprint == key.fingerprint)
		line--;
	return line;
}

/* Merging two baselines may leave several lines with the same fingerprint. */
static bool is_one_more(const struct baseline *baseline, const struct baseline_line *line,
			uint64_t fingerprint)
{
	return line < baseline->line.item + baseline->line.count &&
	       line->fingerprint == fingerprint;
}

bool baseline_knows(const struct baseline *baseline, const char *fingerprint, enum grade grade)
{
	const struct baseline_line *line = baseline_find(baseline, fingerprint);
	uint64_t same = line ? line->fingerprint : 0;

	for (; line && is_one_more(baseline, line, same); line++)
		if (grade <= line->grade)
			return true;
	return false;
}

static void mark_seen(struct baseline *baseline, const char *fingerprint)
{
	struct baseline_line *line = baseline_find(baseline, fingerprint);
	uint64_t same = line ? line->fingerprint : 0;

	for (; line && is_one_more(baseline, line, same); line++)
		line->seen = true;
}

void baseline_forget(const struct baseline *baseline, const char *fingerprint)
{
	struct baseline_line *line = baseline_find(baseline, fingerprint);
	uint64_t same = line ? line->fingerprint : 0;

	for (; line && is_one_more(baseline, line, same); line++)
		line->grade = GRADE_OFF;
}

static int by_number(const void *one, const void *other)
{
	unsigned a = (*(const struct baseline_line *const *)one)->number;
	unsigned b = (*(const struct baseline_line *const *)other)->number;

	return (a > b) - (a < b);
}

/* Lists baseline lines that matched no finding in one limit, so that the team can delete them. */
static void say_gone(const struct baseline *baseline, json_t *document, json_t *prints)
{
	AUTO_FREE const struct baseline_line **gone =
		memory_get((baseline->line.count + 1) * sizeof(const struct baseline_line *));
	AUTO_FREE char *list = text_copy("");
	uint32_t count = 0;

	for (uint32_t i = 0; i < baseline->line.count; i++)
		if (!baseline->line.item[i].seen)
			gone[count++] = &baseline->line.item[i];
	qsort(gone, count, sizeof(*gone), by_number);
	for (uint32_t i = 0; i < count; i++) {
		char print[DIGITS + 1];

		snprintf(print, sizeof(print), "%016llx", (unsigned long long)gone[i]->fingerprint);
		json_array_append_new(prints, json_string(print));
		if (i < NAMED_MAX)
			list = text_join(list, ", ",
					 text_format("%s%s%s (line %u)", gone[i]->rule,
						     *gone[i]->rule ? " " : "", print,
						     gone[i]->number));
	}
	if (count > NAMED_MAX)
		list = text_join(list, " ", text_format("and %u more", count - NAMED_MAX));
	if (count)
		report_limit(
			document,
			"in the baseline %s, but not found: %s; delete these lines if they do not come back",
			baseline->file, list);
}

void baseline_apply(struct baseline *baseline, json_t *document)
{
	json_t *findings = json_object_get(document, "findings");
	json_t *known = json_array(), *gone = json_array();

	if (!baseline->file) {
		json_decref(known);
		json_decref(gone);
		return;
	}
	for (size_t i = json_array_size(findings); i-- > 0;) {
		const json_t *finding = json_array_get(findings, i);
		const char *print = jsontext_at(finding, "fingerprint");
		enum grade grade = GRADE_ERROR;

		mark_seen(baseline, print);
		grade_parse(jsontext_at(finding, "severity"), &grade);
		if (!baseline_knows(baseline, print, grade))
			continue;
		json_array_insert(known, 0, json_object_get(finding, "fingerprint"));
		json_array_remove(findings, i);
	}
	if (json_array_size(known))
		report_limit(document, "findings in the baseline, not shown: %zu",
			     json_array_size(known));
	say_gone(baseline, document, gone);
	json_object_set_new(document, "baseline",
			    json_pack("{s:o, s:o, s:o}", "file", jsontext_of(baseline->file),
				      "known", known, "gone", gone));
}
