/* SPDX-License-Identifier: Apache-2.0 */
/* See follow.h. */
#include "follow.h"

#include <stdlib.h>
#include <string.h>

#include "../base/jsontext.h"
#include "../base/util.h"

static bool is_note(const json_t *finding)
{
	return !strcmp(jsontext_at(finding, "severity"), "note");
}

/* The rules about forks that may hang have this in front. */
static bool is_of_fork(const json_t *finding)
{
	return !strncmp(jsontext_at(finding, "rule"), "fork-", strlen("fork-"));
}

/* The step in which it forked; NULL: none. */
static const json_t *fork_of(const json_t *finding)
{
	json_t *step;

	JSON_EACH(step, json_object_get(finding, "evidence"))
		if (!strcmp(jsontext_at(step, "role"), "fork"))
			return step;
	return NULL;
}

/* Whose fork it is and where, the same for all forks there. The caller frees it. */
static char *place_of(const json_t *fork)
{
	json_auto_t *frames = json_pack("[O?, O?]", json_object_get(fork, "python"),
					json_object_get(fork, "stack"));
	char *text = frames ? json_dumps(frames, JSON_COMPACT) : NULL;
	char *place = text_format("%lld %s", jsontext_number(fork, "pid"), text ?: "");

	free(text);
	return place;
}

void follow_findings(json_t *document)
{
	json_auto_t *places = json_object(); /* fingerprints by the place of a fork */
	json_t *findings = json_object_get(document, "findings"), *finding;

	JSON_EACH(finding, findings) {
		const json_t *fork = is_note(finding) ? NULL : fork_of(finding);
		AUTO_FREE char *place = fork ? place_of(fork) : NULL;

		if (place)
			json_object_set(places, place, json_object_get(finding, "fingerprint"));
	}
	JSON_EACH(finding, findings) {
		const json_t *fork = is_note(finding) && is_of_fork(finding) &&
						     json_object_size(places) ?
					     fork_of(finding) :
					     NULL;
		AUTO_FREE char *place = fork ? place_of(fork) : NULL;
		json_t *from = place ? json_object_get(places, place) : NULL;

		if (from)
			json_object_set(finding, "follows_from", from);
	}
}

bool follows(const json_t *finding)
{
	return *jsontext_at(finding, "follows_from");
}

void follow_print(FILE *out, const json_t *document)
{
	json_auto_t *rules = json_object();
	unsigned count = 0;
	json_t *finding;
	const char *rule, *comma = "";
	json_t *unused;

	JSON_EACH(finding, json_object_get(document, "findings"))
		if (follows(finding)) {
			json_object_set_new(rules, jsontext_at(finding, "rule"), json_true());
			count++;
		}
	if (!count)
		return;
	fprintf(out, "mpsan: also %u note%s that follow%s from the above: ", count,
		count == 1 ? "" : "s", count == 1 ? "s" : "");
	json_object_foreach(rules, rule, unused) {
		fprintf(out, "%s%s", comma, rule);
		comma = ", ";
	}
	fputs(" (--report json has all)\n\n", out);
}
