/* SPDX-License-Identifier: Apache-2.0 */
/* Reads suppression files, and matches findings with their patterns. */
#include "suppress.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "../base/jsontext.h"
#include "../base/suggest.h"
#include "../base/textfile.h"
#include "../rules/catalog.h"

static char *suppress_take_line(struct suppressions *suppressions, const struct textfile *file)
{
	char *slug = textfile_trim(file->line), *colon = strchr(slug, ':'), *pattern;
	struct suppression line;

	if (!*slug)
		return NULL;
	if (!colon)
		return textfile_wrong(file, slug + strlen(slug),
				      "no ':' after %.40s; expected SLUG:PATTERN", slug);
	*colon = '\0';
	pattern = textfile_trim(colon + 1);
	textfile_trim(slug);
	if (!*slug)
		return textfile_wrong(
			file, slug,
			"no rule before the ':'; expected SLUG:PATTERN, '*' matches all rules");
	if (strcmp(slug, "*") && rule_find(slug) == RULE_COUNT) {
		AUTO_FREE char *near = suggest_names(slug, rule_name);

		return textfile_wrong(
			file, slug,
			"no such rule: %.40s%s; 'mpsan list rules' lists them, '*' matches all",
			slug, near);
	}
	if (!*pattern)
		return textfile_wrong(
			file, colon + 1,
			"no pattern after %s:; expected SLUG:PATTERN, '*' matches all", slug);
	line = (struct suppression){.slug = text_copy(slug),
				    .pattern = text_copy(pattern),
				    .file = text_copy(file->name),
				    .number = file->number};
	*ARRAY_ADD(&suppressions->line) = line;
	return NULL;
}

char *suppressions_read(struct suppressions *suppressions, const char *file)
{
	struct textfile text;
	char *wrong = textfile_read(&text, file);

	int error = wrong ? errno : 0;

	if (error) {
		char *longer = text_format("--suppressions %s%s", wrong,
					   error == EISDIR ? " with lines of SLUG:PATTERN" : "");

		free(wrong);
		wrong = longer;
	}
	while (!wrong && textfile_next(&text))
		wrong = suppress_take_line(suppressions, &text);
	textfile_finish(&text);
	return wrong;
}

void suppressions_finish(struct suppressions *suppressions)
{
	for (uint32_t i = 0; i < suppressions->line.count; i++) {
		free(suppressions->line.item[i].slug);
		free(suppressions->line.item[i].pattern);
		free(suppressions->line.item[i].file);
	}
	free(suppressions->line.item);
	memset(suppressions, 0, sizeof(*suppressions));
}

/* A relative path in a pattern matches at any depth. */
static bool suppress_fits(const char *pattern, const char *text)
{
	while (text) {
		if (!fnmatch(pattern, text, 0))
			return true;
		text = strchr(text, '/');
		text = text ? text + 1 : NULL;
	}
	return false;
}

static bool fits_frame(const char *pattern, const json_t *frame)
{
	const char *function = json_string_value(json_object_get(frame, "function"));
	const char *module = json_string_value(json_object_get(frame, "module"));
	const char *file = json_string_value(json_object_get(frame, "file"));
	AUTO_FREE char *both = NULL;

	if (suppress_fits(pattern, function) || suppress_fits(pattern, module) ||
	    (module && suppress_fits(pattern, path_base(module))))
		return true;
	if (!function || !file)
		return false;
	both = text_format("%s:%s", file, function);
	return suppress_fits(pattern, both) || suppress_fits(pattern, path_base(both));
}

static bool fits_step(const char *pattern, const json_t *step)
{
	json_t *frame;

	JSON_EACH(frame, json_object_get(step, "stack"))
		if (fits_frame(pattern, frame))
			return true;
	JSON_EACH(frame, json_object_get(step, "python"))
		if (fits_frame(pattern, frame))
			return true;
	return false;
}

bool suppression_fits(const struct suppression *line, const json_t *finding)
{
	const char *pattern = line->pattern;
	json_t *step;

	if (suppress_fits(pattern, json_string_value(json_object_get(finding, "lock"))))
		return true;
	JSON_EACH(step, json_object_get(finding, "evidence"))
		if (fits_step(pattern, step))
			return true;
	return false;
}

bool suppression_is_of(const struct suppression *line, const json_t *finding)
{
	return !strcmp(line->slug, "*") ||
	       !strcmp(line->slug, json_string_value(json_object_get(finding, "rule")));
}

const struct suppression *suppressions_match(const struct suppressions *suppressions,
					     const json_t *finding)
{
	for (uint32_t i = 0; i < suppressions->line.count; i++) {
		struct suppression *line = &suppressions->line.item[i];

		if (!suppression_is_of(line, finding) || !suppression_fits(line, finding))
			continue;
		line->used = true;
		return line;
	}
	return NULL;
}
