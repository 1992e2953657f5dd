/* SPDX-License-Identifier: Apache-2.0 */
/* The line of the triage about children that have failed, and whose parents have not asked how they ended. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "../base/jsontext.h"
#include "ps_text.h"
#include "triage.h"

/* Its parent may have ended it by SIGTERM itself. */
static bool has_failed(const json_t *process)
{
	const json_t *end = json_object_get(process, "end");
	long long signal = jsontext_number(end, "signal");

	return !strcmp(jsontext_at(process, "state"), "zombie") &&
	       (jsontext_number(end, "code") > 0 || (signal && signal != SIGTERM));
}

static const json_t *parent_of(const json_t *processes, const json_t *child)
{
	json_t *process;

	JSON_EACH(process, processes)
		if (jsontext_number(process, "pid") == jsontext_number(child, "parent") &&
		    !strcmp(jsontext_at(process, "state"), "alive"))
			return process;
	return NULL;
}

/* Whether a finding says so already. */
static bool is_told(const json_t *document, const json_t *process)
{
	AUTO_FREE char *name = text_format("process %lld ", jsontext_number(process, "pid"));
	json_t *finding;
	bool told = false;

	JSON_EACH(finding, json_object_get(document, "findings"))
		told |= strcmp(jsontext_at(finding, "severity"), "note") &&
			strstr(jsontext_at(finding, "message"), name);
	return told;
}

static char *end_text(const json_t *process)
{
	const json_t *end = json_object_get(process, "end");
	char *signal, *text;

	if (!json_object_get(end, "signal"))
		return text_format("exited with status %lld", jsontext_number(end, "code"));
	signal = text_signal((int)jsontext_number(end, "signal"));
	text = text_format("was killed by %s", signal);
	free(signal);
	return text;
}

static char *failed_text(const json_t *child, const json_t *parent, unsigned count)
{
	AUTO_FREE char *end = end_text(child),
		       *command = ps_command(json_incref(json_object_get(parent, "argv"))),
		       *more = count > 1 ? text_format(" and %u more that failed", count - 1) :
					   text_copy("");

	return text_format(
		"%s: process %lld %s, and process %lld (%s), which had started it%s, has not "
		"asked after it since",
		kind_head(KIND_failed), jsontext_number(child, "pid"), end,
		jsontext_number(parent, "pid"), command, more);
}

void triage_add_failed(const json_t *document, json_t *list)
{
	const json_t *processes = json_object_get(document, "processes"), *first = NULL, *parent;
	json_t *process;
	const struct triage_item item = {.kind = KIND_failed, .threads = 1, .processes = 1};
	unsigned count = 0;
	size_t i;

	json_array_foreach(processes, i, process) {
		if (!has_failed(process) || is_told(document, process) ||
		    !parent_of(processes, process))
			continue;
		first = first ?: process;
		count++;
	}
	if (!first)
		return;
	parent = parent_of(processes, first);
	triage_add(list, failed_text(first, parent, count), &item, jsontext_number(parent, "pid"),
		   jsontext_number(parent, "pid"));
}
