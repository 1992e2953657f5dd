/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a suppression that matched nothing may have meant: `ask` a function `Client.ask`, a rule that its finding does
 * not have. See suppress.h.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/jsontext.h"
#include "../base/suggest.h"
#include "suppress.h"

#define NAMES_MAX 2000u /* in which the nearest is looked for */

struct near {
	const char *pattern;
	bool by_part; /* only names that end with the pattern */
	ARRAY(char *) name;
};

static const struct near *asked; /* by suggest_names, whose callback takes a number alone */

static const char *near_name(size_t number)
{
	return number < asked->name.count ? asked->name.item[number] : NULL;
}

/* How long "client.py:" is in a pattern client.py:ask; 0: it has no file. */
static size_t file_part(const char *pattern)
{
	const char *colon = strchr(pattern, ':');

	return colon && colon[1] != ':' ? (size_t)(colon - pattern) + 1 : 0;
}

/* Whether the pattern is its last part: ask of Client.ask, of Client::ask; client.py:ask of client.py:Client.ask. */
static bool ends_with(const char *name, const char *pattern)
{
	size_t file = file_part(pattern), length, part;

	if (strncmp(name, pattern, file) != 0)
		return false;
	name += file;
	pattern += file;
	length = strlen(name);
	part = strlen(pattern);

	return length > part && strchr(".:", name[length - part - 1]) &&
	       !strcmp(name + length - part, pattern);
}

/* Takes over the name. */
static void take_name(struct near *near, char *name)
{
	bool known = near->name.count == NAMES_MAX ||
		     (near->by_part && !ends_with(name, near->pattern));

	for (uint32_t i = 0; i < near->name.count && !known; i++)
		known = !strcmp(near->name.item[i], name);
	if (known)
		free(name);
	else
		*ARRAY_ADD(&near->name) = name;
}

static void take_frame(struct near *near, const json_t *frame)
{
	const char *function = json_string_value(json_object_get(frame, "function"));
	const char *module = json_string_value(json_object_get(frame, "module"));
	const char *file = json_string_value(json_object_get(frame, "file"));

	bool of_file = file_part(near->pattern);

	if (function && !of_file)
		take_name(near, text_copy(function));
	if (module)
		take_name(near, text_copy(path_base(module)));
	if (function && file && of_file)
		take_name(near, text_format("%s:%s", path_base(file), function));
}

static void take_finding(struct near *near, const json_t *finding)
{
	const char *lock = json_string_value(json_object_get(finding, "lock"));
	json_t *step, *frame;

	if (lock)
		take_name(near, text_copy(lock));
	JSON_EACH(step, json_object_get(finding, "evidence")) {
		JSON_EACH(frame, json_object_get(step, "python"))
			take_frame(near, frame);
		JSON_EACH(frame, json_object_get(step, "stack"))
			take_frame(near, frame);
	}
}

/* " (did you mean ...?)" of the names in findings of the line's rule. */
static char *near_in(const struct suppression *line, const json_t *findings, bool by_part)
{
	struct near near = {.pattern = line->pattern, .by_part = by_part};
	json_t *finding;
	char *text;

	JSON_EACH(finding, (json_t *)findings)
		if (suppression_is_of(line, finding))
			take_finding(&near, finding);
	asked = &near;
	text = by_part && near.name.count ? text_format(" (did you mean %s?)", near.name.item[0]) :
					    suggest_names(line->pattern, near_name);
	for (uint32_t k = 0; k < near.name.count; k++)
		free(near.name.item[k]);
	free(near.name.item);
	return text;
}

/* The same pattern would have matched a finding of this rule. */
static char *other_rule(const struct suppression *line, const json_t *findings)
{
	json_t *finding;

	JSON_EACH(finding, (json_t *)findings)
		if (strcmp(line->pattern, "*") && suppression_fits(line, finding))
			return text_format(" (did you mean %s:%s?)",
					   json_string_value(json_object_get(finding, "rule")),
					   line->pattern);
	return text_copy("");
}

char *suppression_near(const struct suppression *line, const json_t *findings)
{
	char *text = near_in(line, findings, true);

	if (!*text) {
		free(text);
		text = near_in(line, findings, false);
	}
	if (!*text) {
		free(text);
		text = other_rule(line, findings);
	}
	return text;
}
