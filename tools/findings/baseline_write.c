/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes a baseline for people and diffs: sorted, and with nothing that changes between equal runs.
 * See baseline.h.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../base/atomic_file.h"
#include "../base/jsontext.h"
#include "baseline.h"
#include "location.h"

static const char head[] =
	"# Known findings: mpsan check and mpsan run --baseline fail only on others.\n"
	"# FINGERPRINT SEVERITY RULE # REMARK; remarks are kept when this file is written again.\n"
	"# A finding that is more severe than its line says counts as new; its count does not matter.\n";

/*
 * "function (file)", which the caller frees; without the line, which changes with edits elsewhere
 * in the file.
 */
static char *baseline_write_place_of(const json_t *finding)
{
	const json_t *frame = location_frame(finding);
	const char *function = jsontext_at(frame, "function"), *file = jsontext_at(frame, "file");
	char *text;

	if (!*file)
		file = jsontext_at(frame, "module");
	text = *function ? text_format("%s (%s)", function, path_base(file)) :
			   text_copy(path_base(file));
	for (char *c = text; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f || *c == '#')
			*c = '?';
	return text;
}

struct row {
	const json_t *finding;
	char *remark;
};

static int by_rule_and_place(const void *one, const void *other)
{
	const struct row *a = one, *b = other;
	int order = strcmp(jsontext_at(a->finding, "rule"), jsontext_at(b->finding, "rule"));

	if (!order)
		order = strcmp(a->remark, b->remark);
	return order ? order :
		       strcmp(jsontext_at(a->finding, "fingerprint"),
			      jsontext_at(b->finding, "fingerprint"));
}

/* The remark that the finding had before, else its place. */
static char *remark_of(const struct baseline *before, const json_t *finding)
{
	const struct baseline_line *line =
		baseline_find(before, jsontext_at(finding, "fingerprint"));

	if (line && *line->remark)
		return text_copy(line->remark);
	return baseline_write_place_of(finding);
}

struct rows {
	struct row *item;
	size_t count;
};

static void baseline_write_fill(FILE *out, const void *what)
{
	const struct rows *rows = what;

	fputs(head, out);
	for (size_t i = 0; i < rows->count; i++) {
		const struct row *row = &rows->item[i];

		fprintf(out, "%s %-7s %s%s%s\n", jsontext_at(row->finding, "fingerprint"),
			jsontext_at(row->finding, "severity"), jsontext_at(row->finding, "rule"),
			*row->remark ? "  # " : "", row->remark);
	}
}

static char *write_rows(const char *file, const struct baseline *before, const json_t *findings)
{
	struct rows rows = {.count = json_array_size(findings)};
	char *wrong;

	rows.item = memory_get(rows.count * sizeof(*rows.item));
	for (size_t i = 0; i < rows.count; i++) {
		const json_t *finding = json_array_get(findings, i);

		rows.item[i] = (struct row){finding, remark_of(before, finding)};
	}
	qsort(rows.item, rows.count, sizeof(*rows.item), by_rule_and_place);
	wrong = atomic_file_write(file, baseline_write_fill, &rows);
	for (size_t i = 0; i < rows.count; i++)
		free(rows.item[i].remark);
	free(rows.item);
	return wrong;
}

/* What is there must be a baseline. */
static char *read_before(struct baseline *before, const char *file)
{
	struct stat st;
	bool is_there = !stat(file, &st) && S_ISREG(st.st_mode);
	AUTO_FREE char *wrong = is_there ? baseline_read(before, file) : NULL;

	if (!wrong)
		return NULL;
	return text_format("--write-baseline %s%s", wrong,
			   errno ? "" : "; not a baseline, so it is not overwritten");
}

static char *of_option(char *error)
{
	AUTO_FREE char *wrong = error;

	return wrong ? text_format("--write-baseline %s", wrong) : NULL;
}

char *baseline_write_check(const char *file)
{
	struct baseline before = {0};
	char *wrong = read_before(&before, file);

	baseline_finish(&before);
	return wrong ? wrong : of_option(atomic_file_check(file));
}

char *baseline_write(const char *file, const json_t *document)
{
	struct baseline before = {0};
	char *wrong = read_before(&before, file);

	if (!wrong)
		wrong = of_option(write_rows(file, &before, json_object_get(document, "findings")));
	baseline_finish(&before);
	return wrong;
}
