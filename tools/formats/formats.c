/* SPDX-License-Identifier: Apache-2.0 */
/* The table of formats; parses --report FORMAT=FILE and writes the file or stream. */
#include "formats.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "../base/atomic_file.h"
#include "../base/stream.h"
#include "../base/suggest.h"

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
	AUTO_FREE char *name = text_format("%.*s", (int)length, value),
		       *near = suggest_names(name, format_name);

	return text_format("--report %s: no such format%s; 'mpsan list formats' lists them", value,
			   near);
}

char *report_target_parse(struct report_target *target, const char *value)
{
	const char *equals = strchrnul(value, '=');
	size_t length = equals - value;

	for (const struct report_format *format = report_formats; format->name; format++) {
		if (strlen(format->name) != length || strncmp(format->name, value, length))
			continue;
		if (!*equals || !equals[1])
			return text_format(
				"--report %s: expected FORMAT=FILE; '-' is standard output", value);
		*target = (struct report_target){format, equals + 1};
		return NULL;
	}
	return no_such_format(value, length);
}

struct content {
	const struct report_target *target;
	const struct report *report;
};

static void formats_fill(FILE *out, const void *what)
{
	const struct content *content = what;

	content->target->format->write(out, content->report);
}

static char *of_report(char *wrong)
{
	char *longer = wrong ? text_format("--report %s", wrong) : NULL;

	free(wrong);
	return longer;
}

/* Writes the file completely or not at all. */
static char *write_file(const struct report_target *target, const struct report *report)
{
	struct content content = {target, report};

	return of_report(atomic_file_write(target->file, formats_fill, &content));
}

/*
 * A closed pipe does not kill the command, which has more to do. It is an error like any other only where a program was to
 * read the report: a person has seen enough.
 */
static char *write_stream(FILE *stream, const struct report_target *target,
			  const struct report *report)
{
	void (*before)(int) = signal(SIGPIPE, SIG_IGN);
	bool fine, is_out = stream == stdout;

	errno = 0;
	target->format->write(stream, report);
	if (target->format->write == out_text)
		fine = stream_flush(stream);
	else
		fine = !ferror(stream) && !fflush(stream);
	signal(SIGPIPE, before);
	return fine ? NULL :
		      text_format("--report: cannot write to standard %s: %s",
				  is_out ? "output" : "error",
				  errno ? strerror(errno) : "not written completely");
}

static FILE *stream_of(const struct report_target *target)
{
	return !strcmp(target->file, "-")      ? stdout :
	       !strcmp(target->file, "stderr") ? stderr :
						 NULL;
}

char *report_target_check(const struct report_target *target)
{
	return stream_of(target) ? NULL : of_report(atomic_file_check(target->file));
}

bool report_target_is_plain(const struct report_target *target)
{
	return !stream_of(target) && atomic_file_is_plain(target->file);
}

char *report_write(const struct report_target *target, const struct report *report)
{
	FILE *stream = stream_of(target);

	return stream ? write_stream(stream, target, report) : write_file(target, report);
}
