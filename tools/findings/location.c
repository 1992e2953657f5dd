/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the source file and line of a finding, relative to the repository. */
#include "location.h"

#include <ctype.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/apart.h"
#include "../base/jsontext.h"
#include "../base/util.h"

/* Removes the last component of a path; false at the root. */
static bool go_up(char *path)
{
	char *slash = strrchr(path, '/');

	if (!slash || !path[1])
		return false;
	slash[slash == path] = '\0';
	return true;
}

static char *find_root(void)
{
	char here[PATH_MAX], *root;

	if (!getcwd(here, sizeof(here)))
		return text_copy("");
	root = text_copy(here);
	do {
		char *mark = text_format("%s/.git", root);
		bool found = !access(mark, F_OK);

		free(mark);
		if (found)
			break;
	} while (go_up(root));
	if (!root[1] && access("/.git", F_OK)) {
		free(root);
		root = text_copy(here);
	}
	if (!root[1])
		*root = '\0';
	return root;
}

void locator_init(struct locator *locator)
{
	*locator = (struct locator){find_root(), json_object()};
}

void locator_finish(struct locator *locator)
{
	free(locator->root);
	json_decref(locator->known);
	*locator = (struct locator){0};
}

void location_finish(struct location *location)
{
	free(location->file);
	*location = (struct location){0};
}

/* The rest of a path below `root`; NULL if it is not below. */
static const char *below(const char *root, const char *path)
{
	size_t length = strlen(root);

	return !strncmp(path, root, length) && path[length] == '/' ? path + length + 1 : NULL;
}

/* In a child: the path comes from the program, and may lead to a file system that does not answer. */
static void resolve(int to, void *path)
{
	char real[PATH_MAX];

	if (realpath(path, real))
		apart_answer(to, real, strlen(real));
}

/* As below(), but resolves links and relative paths first. Borrowed. */
static const char *below_really(const struct locator *locator, const char *path)
{
	json_t *known = path ? json_object_get(locator->known, path) : NULL;
	char real[PATH_MAX];
	const char *rest;
	size_t length;

	if (!path || known)
		return json_string_value(known);
	length = apart_ask(resolve, (void *)(uintptr_t)path, -1, real, sizeof(real) - 1);
	real[length] = '\0';
	rest = length ? below(locator->root, real) : NULL;
	known = jsontext_of(rest);
	json_object_set_new_nocheck(locator->known, path, known);
	return json_string_value(known);
}

static bool is_python(const json_t *frame)
{
	return !json_object_get(frame, "module");
}

/*
 * Relative paths of Python frames are relative to the program's working directory, which is also
 * ours. Those of native frames are relative to their build directory, so they count only if such a
 * file exists here.
 */
bool location_of_frame(struct location *location, const struct locator *locator,
		       const json_t *frame)
{
	const char *file = jsontext_string(frame, "file"), *rest;

	*location = (struct location){0};
	if (!file || !*file || *file == '<')
		return false;
	rest = below(locator->root, file);
	if (!rest || strstr(rest, ".."))
		rest = below_really(locator, file);
	if (rest)
		location->file = text_copy(rest);
	location->inside = rest != NULL;
	if (!location->inside && (*file == '/' || is_python(frame))) {
		location->file = text_copy(file);
		location->inside = *file != '/';
	}
	if (!location->file)
		return false;
	location->line = json_integer_value(json_object_get(frame, "line"));
	location->function = jsontext_string(frame, "function");
	return true;
}

/* The first frame of a list with a location, optionally inside the repository. */
static bool first_of(struct location *location, const struct locator *locator, const json_t *frames,
		     bool inside)
{
	json_t *frame;

	JSON_EACH(frame, frames) {
		if (location_of_frame(location, locator, frame) && (location->inside || !inside))
			return true;
		location_finish(location);
	}
	return false;
}

bool location_of_step(struct location *location, const struct locator *locator, const json_t *step)
{
	const json_t *at = json_object_get(step, "at"), *python = json_object_get(step, "python"),
		     *stack = json_object_get(step, "stack");

	if (location_of_frame(location, locator, at) && (location->inside || is_python(at)))
		return true;
	location_finish(location);
	return first_of(location, locator, python, true) ||
	       first_of(location, locator, stack, true) ||
	       location_of_frame(location, locator, at) ||
	       first_of(location, locator, python, false) ||
	       first_of(location, locator, stack, false);
}

/* Whether a step is the action of the finding's own thread. */
static bool is_main(const json_t *finding, const json_t *step)
{
	static const char *const keys[] = {"pid", "tid", "time_ns"};

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (!json_equal(json_object_get(finding, keys[i]), json_object_get(step, keys[i])))
			return false;
	return true;
}

static bool of_steps(struct location *location, const struct locator *locator,
		     const json_t *finding, bool only_main, bool inside)
{
	json_t *step;

	JSON_EACH(step, json_object_get(finding, "evidence")) {
		if (only_main && !is_main(finding, step))
			continue;
		if (location_of_step(location, locator, step) && (location->inside || !inside))
			return true;
		location_finish(location);
	}
	return false;
}

/*
 * For a finding without frames: the first argument of the command that is a file of the repository,
 * such as a script, else the program.
 */
static bool of_command(struct location *location, const struct locator *locator,
		       const json_t *command)
{
	const char *program = json_string_value(json_array_get(command, 0));
	json_t *word;

	JSON_EACH(word, command) {
		const char *file = below_really(locator, json_string_value(word));

		if (!file || !*file)
			continue;
		*location = (struct location){.file = text_copy(file), .inside = true, .line = 1};
		return true;
	}
	*location = (struct location){.file = text_copy(program && *program ? program : "unknown")};
	return true;
}

const json_t *location_frame(const json_t *finding)
{
	const json_t *frame = NULL;
	json_t *step;

	JSON_EACH(step, json_object_get(finding, "evidence")) {
		const json_t *at = json_object_get(step, "at");

		if (!json_is_object(at))
			continue;
		if (!frame)
			frame = at;
		if (json_equal(json_object_get(step, "pid"), json_object_get(finding, "pid")) &&
		    json_equal(json_object_get(step, "tid"), json_object_get(finding, "tid")))
			return at;
	}
	return frame;
}

bool location_of_finding(struct location *location, const struct locator *locator,
			 const json_t *finding, const json_t *command)
{
	*location = (struct location){0};
	return of_steps(location, locator, finding, true, true) ||
	       of_steps(location, locator, finding, false, true) ||
	       of_steps(location, locator, finding, true, false) ||
	       of_steps(location, locator, finding, false, false) ||
	       of_command(location, locator, command);
}

char *location_uri_path(const char *file)
{
	char *uri = memory_get(3 * strlen(file) + 1), *to = uri;

	for (const unsigned char *c = (const unsigned char *)file; *c; c++) {
		if (*c < 0x80 && (isalnum(*c) || strchr("/-._~", *c)))
			*to++ = (char)*c;
		else
			to += sprintf(to, "%%%02X", *c);
	}
	return uri;
}

char *location_text(const struct location *location)
{
	if (!location->file)
		return NULL;
	return location->line > 0 ? text_format("%s:%lld", location->file, location->line) :
				    text_copy(location->file);
}
