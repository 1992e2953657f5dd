/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --report otlp: findings, limits and events as OpenTelemetry logs. Attributes have the names of
 * the semantic conventions if there are any. Neighbours: otlp.h writes the lines, dump.h has the
 * events.
 */
#include <stdlib.h>
#include <string.h>

#include "../../include/mpsan_version.h"
#include "../base/jsontext.h"
#include "../base/progress.h"
#include "../findings/location.h"
#include "dump.h"
#include "formats.h"
#include "otlp.h"

enum { SEVERITY_DEBUG = 5, SEVERITY_INFO = 9, SEVERITY_WARN = 13, SEVERITY_ERROR = 17 };

static json_t *get(const json_t *object, const char *key)
{
	return json_incref(json_object_get(object, key));
}

/*
 * The attributes that all records of a host, a rank or a process share. NULL: no source, no
 * process.
 */
static json_t *resource_of(const struct report_source *source, const json_t *process)
{
	json_t *attributes = json_array();

	otlp_attribute(attributes, "service.name", json_string("mpsan"));
	otlp_attribute(attributes, "service.version", json_string(MPSAN_VERSION));
	if (source) {
		otlp_attribute(attributes, "host.name", jsontext_of(source->host));
		if (!json_is_integer(json_object_get(process, "rank")) && source->facts.rank)
			otlp_attribute(attributes, "mpsan.rank",
				       json_integer(source->facts.rank - 1));
		if (source->facts.world > 1)
			otlp_attribute(attributes, "mpsan.world_size",
				       json_integer(source->facts.world - 1));
		if (*source->facts.job)
			otlp_attribute(attributes, "mpsan.job",
				       jsontext_part(source->facts.job,
						     strnlen(source->facts.job,
							     sizeof(source->facts.job))));
		otlp_attribute(attributes, "mpsan.session", jsontext_of(source->dir));
	}
	if (process) {
		otlp_attribute(attributes, "mpsan.rank", get(process, "rank"));
		otlp_attribute(attributes, "process.pid", get(process, "pid"));
		otlp_attribute(attributes, "process.parent_pid", get(process, "parent"));
		otlp_attribute(attributes, "process.command_args", get(process, "argv"));
	}
	return attributes;
}

/* Identifies a process among those of all sessions. */
static char *out_otlp_key_of(const json_t *object)
{
	return text_format("%s|%lld|%lld", jsontext_at(object, "host"),
			   json_integer_value(json_object_get(object, "rank")),
			   json_integer_value(json_object_get(object, "pid")));
}

/* The last image of each process. */
static json_t *index_processes(const json_t *document)
{
	json_t *index = json_object(), *process;

	JSON_EACH(process, json_object_get(document, "processes")) {
		AUTO_FREE char *key = out_otlp_key_of(process);

		json_object_set(index, key, process);
	}
	return index;
}

/* The session of a finding's evidence, by its host and rank. */
static const struct report_source *source_of(const struct report *report, const json_t *finding)
{
	const json_t *rank = json_object_get(finding, "rank");

	for (uint32_t i = 0; i < report->source.count && json_object_get(finding, "host"); i++) {
		const struct report_source *source = &report->source.item[i];
		json_auto_t *host = jsontext_of(source->host);
		bool same =
			json_equal(host, json_object_get(finding, "host")) &&
			(!source->facts.rank || source->facts.rank == json_integer_value(rank) + 1);

		if (same)
			return source;
	}
	return report->source.count ? report->source.item : NULL;
}

static void add_place(json_t *attributes, const json_t *finding)
{
	const json_t *at = location_frame(finding);

	if (!at)
		return;
	otlp_attribute(attributes, "code.function.name", get(at, "function"));
	otlp_attribute(attributes, "code.file.path", get(at, "file"));
	if (json_integer_value(json_object_get(at, "line")))
		otlp_attribute(attributes, "code.line.number", get(at, "line"));
}

/* Adds the evidence as text. */
static void add_story(json_t *attributes, const json_t *finding)
{
	AUTO_FREE char *text = NULL;
	size_t bytes;
	FILE *story = open_memstream(&text, &bytes);

	if (!story)
		return;
	out_text_finding(story, finding, &(struct text_view){.verbose = true});
	if (!fclose(story))
		otlp_attribute(attributes, "exception.stacktrace", otlp_text(text));
}

static void add_finding(struct otlp *otlp, const json_t *finding)
{
	static const char *const copied[] = {"rule",  "fingerprint", "what",  "why",  "fix",
					     "count", "spread",	     "hosts", "ranks"};
	const char *severity = jsontext_at(finding, "severity");
	bool error = !strcmp(severity, "error"), warning = !strcmp(severity, "warning");
	json_t *attributes = json_array();

	otlp_attribute(attributes, "event.name", json_string("mpsan.finding"));
	otlp_attribute(attributes, "exception.type", get(finding, "rule"));
	for (size_t i = 0; i < sizeof(copied) / sizeof(*copied); i++) {
		AUTO_FREE char *key = text_format("mpsan.%s", copied[i]);

		otlp_attribute(attributes, key, get(finding, copied[i]));
	}
	otlp_attribute(attributes, "thread.id", get(finding, "tid"));
	otlp_attribute(attributes, "thread.name", get(finding, "thread"));
	add_place(attributes, finding);
	add_story(attributes, finding);
	otlp_add(otlp, &(struct otlp_record){.time_ns = (uint64_t)json_integer_value(
						     json_object_get(finding, "time_ns")),
					     .severity = error	 ? SEVERITY_ERROR :
							 warning ? SEVERITY_WARN :
								   SEVERITY_INFO,
					     .severity_text = error   ? "ERROR" :
							      warning ? "WARN" :
									"INFO",
					     .body = jsontext_at(finding, "message"),
					     .attributes = attributes});
}

static void add_findings(struct otlp *otlp, const struct report *report)
{
	json_t *processes = index_processes(report->document), *finding;

	JSON_EACH(finding, json_object_get(report->document, "findings")) {
		AUTO_FREE char *key = out_otlp_key_of(finding);

		otlp_resource(otlp, resource_of(source_of(report, finding),
						json_object_get(processes, key)));
		add_finding(otlp, finding);
	}
	json_decref(processes);
}

static void add_limit(struct otlp *otlp, const char *text)
{
	json_t *attributes = json_array();

	otlp_attribute(attributes, "event.name", json_string("mpsan.limit"));
	otlp_add(otlp, &(struct otlp_record){.severity = SEVERITY_INFO,
					     .severity_text = "INFO",
					     .body = text,
					     .attributes = attributes});
}

static void add_limits(struct otlp *otlp, const struct report *report)
{
	json_t *limit;

	otlp_resource(otlp, resource_of(NULL, NULL));
	JSON_EACH(limit, json_object_get(report->document, "limits"))
		add_limit(otlp, json_string_value(limit));
}

struct events {
	struct otlp *otlp;
	const struct report_source *source;
	uint32_t slot; /* the one whose resource is set */
};

static void add_event(const struct dump_event *event, void *context)
{
	struct events *events = context;
	json_t *attributes = json_array(), *value;
	const char *name = jsontext_at(event->object, "event"), *key;
	AUTO_FREE char *full = text_format("mpsan.%s", name);

	if (events->slot != event->slot) {
		json_auto_t *process = process_json(event->reader, event->slot);

		events->slot = event->slot;
		otlp_resource(events->otlp, resource_of(events->source, process));
	}
	otlp_attribute(attributes, "event.name", json_string(full));
	json_object_foreach((json_t *)event->object, key, value) {
		AUTO_FREE char *longer = NULL;

		if (!strcmp(key, "time_ns") || !strcmp(key, "pid") || !strcmp(key, "event"))
			continue;
		longer = text_format("mpsan.%s", key);
		otlp_attribute(attributes, strcmp(key, "tid") ? longer : "thread.id",
			       json_incref(value));
	}
	otlp_add(events->otlp,
		 &(struct otlp_record){.time_ns = reader_real_ns(event->reader, event->time_ns) -
						  (uint64_t)events->source->skew_ns,
				       .severity = SEVERITY_DEBUG,
				       .severity_text = "DEBUG",
				       .body = name,
				       .attributes = attributes});
}

/*
 * Adds the events of a session, with a progress line, as this takes longest; unless the report goes
 * to the terminal itself.
 */
static char *add_events(struct otlp *otlp, const struct report_source *source)
{
	struct events events = {otlp, source, UINT32_MAX};
	bool is_file = otlp->out != stdout && otlp->out != stderr;
	char *wrong;

	if (is_file)
		progress_begin(source->dir);
	wrong = dump_stream(source->dir, add_event, &events);
	if (is_file)
		progress_end();
	return wrong;
}

void out_otlp(FILE *out, const struct report *report)
{
	struct otlp otlp = {.out = out};

	add_findings(&otlp, report);
	add_limits(&otlp, report);
	for (uint32_t i = 0; i < report->source.count; i++) {
		const struct report_source *source = &report->source.item[i];
		AUTO_FREE char *wrong = add_events(&otlp, source);

		if (!wrong)
			continue;
		otlp_resource(&otlp, resource_of(source, NULL));
		add_limit(&otlp, wrong);
	}
	otlp_finish(&otlp);
}
