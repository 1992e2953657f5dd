/* See report.h. */
#include "report.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "fold.h"
#include "jsontext.h"
#include "near.h"
#include "whole.h"

const struct report_format report_formats[] = {
#define FORMAT(name, wants, help) {#name, help, wants, out_##name},
#include "formats.def"
#undef FORMAT
	{0},
};

static const char *format_name(size_t number)
{
	return report_formats[number].name;
}

static char *no_such_format(const char *value, size_t length)
{
	char *name = text_format("%.*s", (int)length, value), *near = near_names(name, format_name);
	char *wrong = text_format("--report %s: no such format%s; 'mpsan list formats' names them",
				  value, near);

	free(name);
	free(near);
	return wrong;
}

char *report_target_parse(struct report_target *target, const char *value)
{
	const char *equals = strchrnul(value, '=');
	size_t length = equals - value;

	for (const struct report_format *format = report_formats; format->name; format++) {
		if (strlen(format->name) != length || strncmp(format->name, value, length))
			continue;
		if (!*equals || !equals[1])
			return text_format("--report %s: give FORMAT=FILE; '-' is standard output",
					   value);
		*target = (struct report_target){format, equals + 1};
		return NULL;
	}
	return no_such_format(value, length);
}

struct content {
	const struct report_target *target;
	const struct report *report;
};

static void fill(FILE *out, const void *what)
{
	const struct content *content = what;

	content->target->format->write(out, content->report);
}

/* The file appears whole or not at all. */
static char *write_file(const struct report_target *target, const struct report *report)
{
	struct content content = {target, report};
	char *wrong = whole_write(target->file, fill, &content), *longer;

	if (!wrong)
		return NULL;
	longer = text_format("--report %s", wrong);
	free(wrong);
	return longer;
}

/* A reader that went away is an error like any other, not the end of the command. */
static char *write_stream(FILE *stream, const struct report_target *target,
			  const struct report *report)
{
	void (*before)(int) = signal(SIGPIPE, SIG_IGN);
	bool fine;

	errno = 0;
	target->format->write(stream, report);
	fine = !ferror(stream);
	fine = !fflush(stream) && fine;
	signal(SIGPIPE, before);
	return fine ? NULL :
		      text_format("--report %s: %s", target->file,
				  errno ? strerror(errno) : "not all of it could be written");
}

char *report_write(const struct report_target *target, const struct report *report)
{
	FILE *stream = !strcmp(target->file, "-")      ? stdout :
		       !strcmp(target->file, "stderr") ? stderr :
							 NULL;

	return stream ? write_stream(stream, target, report) : write_file(target, report);
}

json_t *report_exit_json(const struct report_exit *end)
{
	return json_pack("{s:o, s:o}", "code",
			 end->code < 0 ? json_null() : json_integer(end->code), "signal",
			 end->signal ? json_integer(end->signal) : json_null());
}

json_t *report_create(json_t *command, const struct report_exit *end)
{
	return json_pack("{s:s, s:{s:s, s:s}, s:o, s:o, s:[], s:[], s:[], s:[]}", "schema",
			 "mpsan.report/1", "tool", "name", "mpsan", "version", MPSAN_VERSION,
			 "command", command ? json_incref(command) : json_array(), "exit",
			 report_exit_json(end), "processes", "findings", "limits", "hosts");
}

void report_finish(struct report *report)
{
	for (uint32_t i = 0; i < report->source.count; i++) {
		free(report->source.item[i].dir);
		free(report->source.item[i].host);
		free(report->source.item[i].rank);
	}
	free(report->source.item);
	fold_destroy(report->fold);
	timeline_destroy(report->timeline);
	json_decref(report->document);
	*report = (struct report){0};
}

void report_limit(json_t *document, const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	if (vasprintf(&text, format, args) >= 0) {
		json_array_append_new(json_object_get(document, "limits"), jsontext_of(text));
		free(text);
	}
	va_end(args);
}

void report_add(json_t *document, const struct judge *judge)
{
	struct fold *fold = fold_create(document);

	fold_add(fold, 0, 0, judge);
	fold_destroy(fold);
}

unsigned report_count(const json_t *document, const char *severity)
{
	unsigned count = 0;
	json_t *finding;
	size_t i;

	json_array_foreach(json_object_get(document, "findings"), i, finding)
		count += !strcmp(jsontext_at(finding, "severity"), severity);
	return count;
}

enum grade report_worst(const json_t *document)
{
	enum grade worst = GRADE_OFF, grade;
	json_t *finding;
	size_t i;

	json_array_foreach(
		json_object_get(document, "findings"), i,
		finding) if (grade_parse(json_string_value(json_object_get(finding, "severity")),
					 &grade) &&
			     grade > worst) worst = grade;
	return worst;
}
