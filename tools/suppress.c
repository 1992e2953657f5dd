/* See suppress.h. */
#include "suppress.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grades.h"

static char *trim(char *text)
{
	size_t length;

	text += strspn(text, " \t");
	length = strlen(text);
	while (length && strchr(" \t\r\n", text[length - 1]))
		text[--length] = '\0';
	return text;
}

/* A '#' after a blank begins a comment; within a word it belongs to the pattern. */
static void cut_comment(char *text)
{
	for (char *c = text; *c; c++)
		if (*c == '#' && c > text && strchr(" \t", c[-1])) {
			*c = '\0';
			return;
		}
}

static char *take_line(struct suppressions *suppressions, const char *file, unsigned number,
		       char *text)
{
	char *colon;

	text = trim(text);
	if (!*text || *text == '#')
		return NULL;
	colon = strchr(text, ':');
	if (!colon || !colon[1])
		return text_format("%s:%u: give SLUG:PATTERN", file, number);
	*colon = '\0';
	text = trim(text);
	if (strcmp(text, "*") && rule_find(text) == RULE_COUNT)
		return text_format("%s:%u: no such rule: %s; 'mpsan list rules' names them", file,
				   number, text);
	cut_comment(colon + 1);
	*ARRAY_ADD(&suppressions->line) =
		(struct suppression){text_copy(text), text_copy(trim(colon + 1))};
	return NULL;
}

char *suppressions_read(struct suppressions *suppressions, const char *file)
{
	FILE *stream = fopen(file, "re");
	char *line = NULL, *wrong = NULL;
	unsigned number = 0;
	size_t room = 0;
	ssize_t length;

	if (!stream)
		return text_format("--suppressions %s: %s", file, strerror(errno));
	while (!wrong && (length = getline(&line, &room, stream)) >= 0) {
		number++;
		wrong = strlen(line) < (size_t)length ?
				text_format("--suppressions %s:%u: not a text file", file, number) :
				take_line(suppressions, file, number, line);
	}
	if (!wrong && ferror(stream))
		wrong = text_format("--suppressions %s: %s", file, strerror(errno));
	free(line);
	fclose(stream);
	return wrong;
}

void suppressions_finish(struct suppressions *suppressions)
{
	for (uint32_t i = 0; i < suppressions->line.count; i++) {
		free(suppressions->line.item[i].slug);
		free(suppressions->line.item[i].pattern);
	}
	free(suppressions->line.item);
	memset(suppressions, 0, sizeof(*suppressions));
}

/* A relative path in a pattern fits at any depth. */
static bool fits(const char *pattern, const char *text)
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
	char *both;
	bool yes;

	if (fits(pattern, function) || fits(pattern, module) ||
	    (module && fits(pattern, path_base(module))))
		return true;
	if (!function || !file)
		return false;
	both = text_format("%s:%s", file, function);
	yes = fits(pattern, both) || fits(pattern, path_base(both));
	free(both);
	return yes;
}

static bool fits_step(const char *pattern, const json_t *step)
{
	json_t *frame;
	size_t i;

	json_array_foreach(json_object_get(step, "stack"), i,
			   frame) if (fits_frame(pattern, frame)) return true;
	json_array_foreach(json_object_get(step, "python"), i,
			   frame) if (fits_frame(pattern, frame)) return true;
	return false;
}

static bool fits_finding(const char *pattern, const json_t *finding)
{
	json_t *step;
	size_t i;

	if (fits(pattern, json_string_value(json_object_get(finding, "lock"))))
		return true;
	json_array_foreach(json_object_get(finding, "evidence"), i,
			   step) if (fits_step(pattern, step)) return true;
	return false;
}

bool suppressions_match(const struct suppressions *suppressions, const json_t *finding)
{
	const char *slug = json_string_value(json_object_get(finding, "rule"));

	for (uint32_t i = 0; i < suppressions->line.count; i++) {
		const struct suppression *line = &suppressions->line.item[i];

		if ((!strcmp(line->slug, "*") || !strcmp(line->slug, slug)) &&
		    fits_finding(line->pattern, finding))
			return true;
	}
	return false;
}
