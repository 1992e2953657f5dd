/* See report.h. */
#include "report.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "jsontext.h"

const struct report_format report_formats[] = {
#define FORMAT(name, wants, help) {#name, help, wants, out_##name},
#include "formats.def"
#undef FORMAT
	{0},
};

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
	return text_format("--report %s: no such format; 'mpsan list formats' names them", value);
}

/* A device, a pipe or a link is written through, not replaced. */
static bool is_plain_or_missing(const char *file)
{
	struct stat st;

	return lstat(file, &st) ? errno == ENOENT : S_ISREG(st.st_mode);
}

static char *write_through(const struct report_target *target, const struct report *report)
{
	FILE *out = fopen(target->file, "we");
	bool fine = out != NULL;

	if (out) {
		target->format->write(out, report);
		fine = !ferror(out);
		fine = !fclose(out) && fine;
	}
	return fine ? NULL : text_format("--report %s: %s", target->file, strerror(errno));
}

/* The file appears whole or not at all. */
static char *write_file(const struct report_target *target, const struct report *report)
{
	char *scratch = text_format("%s.%d.tmp", target->file, getpid()), *wrong = NULL;
	FILE *out = fopen(scratch, "wxe");
	bool fine;

	if (!out) {
		wrong = text_format(
			"--report %s: %s; choose a file in a directory that you may write to",
			target->file, strerror(errno));
		free(scratch);
		return wrong;
	}
	target->format->write(out, report);
	fine = !ferror(out);
	fine = !fclose(out) && fine && !rename(scratch, target->file);
	if (!fine) {
		wrong = text_format("--report %s: %s", target->file, strerror(errno));
		unlink(scratch);
	}
	free(scratch);
	return wrong;
}

char *report_write(const struct report_target *target, const struct report *report)
{
	FILE *stream = !strcmp(target->file, "-")      ? stdout :
		       !strcmp(target->file, "stderr") ? stderr :
							 NULL;

	if (!stream)
		return is_plain_or_missing(target->file) ? write_file(target, report) :
							   write_through(target, report);
	target->format->write(stream, report);
	return fflush(stream) ? text_format("--report %s: %s", target->file, strerror(errno)) :
				NULL;
}

json_t *report_create(json_t *command, const struct report_exit *end)
{
	return json_pack("{s:s, s:{s:s, s:s}, s:o, s:{s:o, s:o}, s:[], s:[], s:[]}", "schema",
			 "mpsan.report/1", "tool", "name", "mpsan", "version", MPSAN_VERSION,
			 "command", command ? json_incref(command) : json_array(), "exit", "code",
			 end->code < 0 ? json_null() : json_integer(end->code), "signal",
			 end->signal ? json_integer(end->signal) : json_null(), "processes",
			 "findings", "limits");
}

void report_finish(struct report *report)
{
	for (uint32_t i = 0; i < report->source.count; i++) {
		free(report->source.item[i].dir);
		free(report->source.item[i].host);
		free(report->source.item[i].rank);
	}
	free(report->source.item);
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

static json_t *find_same(json_t *findings, const json_t *finding)
{
	const json_t *print = json_object_get(finding, "fingerprint");
	json_t *other;
	size_t i;

	json_array_foreach(findings, i, other) if (json_equal(json_object_get(other, "fingerprint"),
							      print)) return other;
	return NULL;
}

static void add_finding(json_t *findings, const json_t *finding)
{
	json_t *same = find_same(findings, finding);
	json_int_t count;

	if (!same) {
		json_array_append_new(findings, json_deep_copy(finding));
		return;
	}
	count = json_integer_value(json_object_get(same, "count")) +
		json_integer_value(json_object_get(finding, "count"));
	json_object_set_new(same, "count", json_integer(count));
}

static void add_processes(json_t *document, const struct reader *reader)
{
	json_t *processes = json_object_get(document, "processes");

	READER_EACH_SLOT(reader, slot)
	{
		json_t *process = process_json(reader, slot);

		if (process)
			json_array_append_new(processes, process);
	}
}

void report_add(json_t *document, const struct judge *judge)
{
	/* The worst come first; within a grade, the order of their moments. */
	for (int grade = GRADE_ERROR; grade >= GRADE_NOTE; grade--)
		for (uint32_t i = 0; i < judge->found.count; i++)
			if (judge->found.item[i].count && (int)judge->found.item[i].grade == grade)
				add_finding(json_object_get(document, "findings"),
					    judge->found.item[i].json);
	json_object_set_new(document, "suppressed",
			    json_integer(json_integer_value(json_object_get(document, "suppressed")) +
					 judge->suppressed));
	add_processes(document, judge->reader);
	limits_add(document, judge);
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
