/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --report sarif: SARIF 2.1.0 for code scanning. The steps of a finding are its related locations,
 * in their order, and a code flow with a thread flow per thread. Suppressed findings are in no
 * report. Neighbours: report.h, location.h.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../../include/mpsan_version.h"
#include "../base/fix_text.h"
#include "../base/jsontext.h"
#include "../findings/grades.h"
#include "../findings/location.h"
#include "../rules/catalog.h"
#include "formats.h"

#define SCHEMA_URI \
	"https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json"
#define ROOT_ID "SRCROOT"

struct sarif {
	const json_t *document;
	struct locator locator;
};

/* In a SARIF message "[words](target)" is a link; ours are never links. */
static json_t *message(const char *text)
{
	AUTO_FREE char *plain = memory_get(2 * strlen(text) + 1);
	char *to = plain;
	bool links = strstr(text, "](") != NULL;

	for (const char *c = text; *c; c++) {
		if (links && strchr("[]\\", *c))
			*to++ = '\\';
		*to++ = *c;
	}
	return json_pack("{s:s}", "text", plain);
}

static json_t *out_sarif_help(const struct rule_words *words)
{
	AUTO_FREE char *fix = fix_for(words->fix, FIX_FOR_ALL);
	AUTO_FREE char *plain =
		text_format("Hazard: %s\n\nEvidence: %s\n\nGrading: %s\n\nFix: %s\n\nSource: %s",
			    words->hazard, words->evidence, words->grading, fix, words->source);
	AUTO_FREE char *marked = text_format(
		"**Hazard.** %s\n\n**Evidence.** %s\n\n**Grading.** %s\n\n**Fix.** %s\n\n*Source: %s*",
		words->hazard, words->evidence, words->grading, fix, words->source);

	return json_pack("{s:s, s:s}", "text", plain, "markdown", marked);
}

/* Each result has its own level; the rule's level is only a default. */
static json_t *rules(void)
{
	json_t *list = json_array();

	for (enum rule_id rule = 0; rule < RULE_COUNT; rule++) {
		const struct rule_words *words = rule_words(rule);

		json_array_append_new(
			list, json_pack("{s:s, s:{s:s}, s:{s:s}, s:o, s:{s:s, s:b}, s:{s:[s,s]}}",
					"id", words->slug, "shortDescription", "text", words->title,
					"fullDescription", "text", words->hazard, "help",
					out_sarif_help(words), "defaultConfiguration", "level",
					"warning", "enabled", rule_is_preset(rule), "properties",
					"tags", "multiprocessing", "reliability"));
	}
	return list;
}

/* Places. */

static json_t *artifact(const struct location *location)
{
	AUTO_FREE char *path = location_uri_path(location->file);
	AUTO_FREE char *uri = *path == '/' ? text_format("file://%s", path) : text_copy(path);
	json_t *object = json_pack("{s:s}", "uri", uri);

	if (location->inside)
		json_object_set_new(object, "uriBaseId", json_string(ROOT_ID));
	return object;
}

static json_t *location_json(const struct location *location)
{
	json_t *object = json_object(), *place;

	if (location->file) {
		place = json_pack("{s:o}", "artifactLocation", artifact(location));
		if (location->line > 0)
			json_object_set_new(
				place, "region",
				json_pack("{s:I}", "startLine", (json_int_t)location->line));
		json_object_set_new(object, "physicalLocation", place);
	}
	if (location->function)
		json_object_set_new(object, "logicalLocations",
				    json_pack("[{s:s, s:s}]", "fullyQualifiedName",
					      location->function, "kind", "function"));
	return object;
}

static json_t *step_location(const struct sarif *sarif, const json_t *step)
{
	struct location location = {0};
	json_t *object;

	location_of_step(&location, &sarif->locator, step);
	object = location_json(&location);
	json_object_set_new(object, "message", message(jsontext_at(step, "what")));
	location_finish(&location);
	return object;
}

/* A step without a location is omitted, as a link would lead nowhere. */
static json_t *related(const struct sarif *sarif, const json_t *finding)
{
	json_t *list = json_array(), *step, *object;
	size_t i;

	json_array_foreach(json_object_get(finding, "evidence"), i, step) {
		object = step_location(sarif, step);
		json_object_set_new(object, "id", json_integer((json_int_t)i + 1));
		if (json_object_get(object, "physicalLocation"))
			json_array_append_new(list, object);
		else
			json_decref(object);
	}
	return list;
}

/* The thread flow of a step's thread, added if it is new. Borrowed. */
static json_t *thread_flow(json_t *flows, const json_t *step)
{
	AUTO_FREE char *id =
		text_format("process %lld, thread %lld",
			    (long long)json_integer_value(json_object_get(step, "pid")),
			    (long long)json_integer_value(json_object_get(step, "tid")));
	json_t *flow, *found = NULL;

	JSON_EACH(flow, flows)
		if (!strcmp(jsontext_at(flow, "id"), id))
			found = flow;
	if (!found) {
		found = json_pack("{s:s, s:o, s:[]}", "id", id, "message",
				  message(jsontext_at(step, "thread")), "locations");
		json_array_append_new(flows, found);
	}
	return found;
}

static void set_time(json_t *object, const char *key, const json_t *time_ns)
{
	json_int_t ns = json_integer_value(time_ns);
	time_t seconds = (time_t)(ns / 1000000000);
	char day[40], *text;
	struct tm parts;

	if (ns <= 0 || !gmtime_r(&seconds, &parts) ||
	    !strftime(day, sizeof(day), "%Y-%m-%dT%H:%M:%S", &parts))
		return;
	text = text_format("%s.%03dZ", day, (int)(ns / 1000000 % 1000));
	json_object_set_new(object, key, json_string(text));
	free(text);
}

static json_t *code_flow(const struct sarif *sarif, const json_t *finding)
{
	json_t *flows = json_array(), *step, *place;
	size_t i;

	json_array_foreach(json_object_get(finding, "evidence"), i, step) {
		place = json_pack("{s:o, s:I, s:s}", "location", step_location(sarif, step),
				  "executionOrder", (json_int_t)i + 1, "importance", "essential");
		set_time(place, "executionTimeUtc", json_object_get(step, "time_ns"));
		json_array_append_new(json_object_get(thread_flow(flows, step), "locations"),
				      place);
	}
	return json_pack("[{s:o}]", "threadFlows", flows);
}

static json_t *result_message(const json_t *finding)
{
	const char *occurrence = jsontext_at(finding, "spread");
	AUTO_FREE char *text = text_format("%s\nFix: %s%s%s", jsontext_at(finding, "message"),
					   jsontext_at(finding, "fix"),
					   *occurrence ? "\nSeen " : "", occurrence);

	return message(text);
}

static json_t *result(const struct sarif *sarif, const json_t *finding)
{
	enum rule_id rule = rule_find(jsontext_at(finding, "rule"));
	json_int_t count = json_integer_value(json_object_get(finding, "count"));
	struct location location;
	json_t *object;

	location_of_finding(&location, &sarif->locator, finding,
			    json_object_get(sarif->document, "command"));
	object = json_pack(
		"{s:s, s:s, s:o, s:[], s:{s:s}, s:I, s:{s:O?, s:O?, s:O?, s:O?, s:O?, s:O?}}",
		"ruleId", jsontext_at(finding, "rule"), "level", jsontext_at(finding, "severity"),
		"message", result_message(finding), "locations", "partialFingerprints", "mpsan/v1",
		jsontext_at(finding, "fingerprint"), "occurrenceCount", count > 0 ? count : 1,
		"properties", "pid", json_object_get(finding, "pid"), "tid",
		json_object_get(finding, "tid"), "thread", json_object_get(finding, "thread"),
		"what", json_object_get(finding, "what"), "why", json_object_get(finding, "why"),
		"fix", json_object_get(finding, "fix"));
	if (rule != RULE_COUNT)
		json_object_set_new(object, "ruleIndex", json_integer(rule));
	json_array_append_new(json_object_get(object, "locations"), location_json(&location));
	json_object_set_new(object, "relatedLocations", related(sarif, finding));
	if (json_array_size(json_object_get(finding, "evidence")))
		json_object_set_new(object, "codeFlows", code_flow(sarif, finding));
	location_finish(&location);
	return object;
}

/* The run. */

/* Quoted for a shell. */
static char *command_line(const json_t *command)
{
	char *line = text_copy("");
	json_t *word;

	JSON_EACH(word, command) {
		const char *text = json_string_value(word);
		char *quoted = memory_get(4 * strlen(text) + 3), *to = quoted;

		*to++ = '\'';
		for (const char *c = text; *c; c++)
			to = *c == '\'' ? stpcpy(to, "'\\''") : (*to = *c, to + 1);
		*to = '\'';
		if (*text && !text[strcspn(text, " \t\n'\"\\$`*?[]{}()<>|&;~#!")])
			strcpy(quoted, text);
		line = text_join(line, " ", quoted);
	}
	return line;
}

static json_t *invocation(const json_t *document)
{
	const json_t *command = json_object_get(document, "command"),
		     *end = json_object_get(document, "exit"), *code = json_object_get(end, "code"),
		     *signal = json_object_get(end, "signal");
	json_t *object = json_pack("{s:b, s:[]}", "executionSuccessful", true,
				   "toolExecutionNotifications"),
	       *limit;
	AUTO_FREE char *line = command_line(command);

	if (*line) {
		json_object_set_new(object, "commandLine", jsontext_of(line));
		json_object_set(object, "arguments", json_object_get(document, "command"));
	}
	if (json_is_integer(code))
		json_object_set_new(object, "exitCode", json_integer(json_integer_value(code)));
	if (json_is_integer(signal))
		json_object_set_new(object, "exitSignalNumber",
				    json_integer(json_integer_value(signal)));
	JSON_EACH(limit, json_object_get(document, "limits"))
		json_array_append_new(json_object_get(object, "toolExecutionNotifications"),
				      json_pack("{s:s, s:o}", "level", "note", "message",
						message(json_string_value(limit))));
	return object;
}

static json_t *bases(const struct sarif *sarif)
{
	AUTO_FREE char *path = location_uri_path(sarif->locator.root);
	AUTO_FREE char *uri = text_format("file://%s/", path);

	return json_pack("{s:{s:s}}", ROOT_ID, "uri", uri);
}

void out_sarif(FILE *out, const struct report *report)
{
	struct sarif sarif = {.document = report->document};
	json_t *results = json_array(), *finding, *log;

	locator_init(&sarif.locator);
	JSON_EACH(finding, json_object_get(report->document, "findings"))
		json_array_append_new(results, result(&sarif, finding));
	log = json_pack("{s:s, s:s, s:[{s:{s:{s:s, s:s, s:s, s:o}}, s:[o], s:o, s:s, s:o}]}",
			"$schema", SCHEMA_URI, "version", "2.1.0", "runs", "tool", "driver", "name",
			"mpsan", "version", MPSAN_VERSION, "semanticVersion", MPSAN_VERSION,
			"rules", rules(), "invocations", invocation(report->document),
			"originalUriBaseIds", bases(&sarif), "columnKind", "unicodeCodePoints",
			"results", results);
	json_dumpf(log, out, JSON_INDENT(1));
	fputc('\n', out);
	json_decref(log);
	locator_finish(&sarif.locator);
}
