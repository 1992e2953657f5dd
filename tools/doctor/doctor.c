/* SPDX-License-Identifier: Apache-2.0 */
/* Collects the lines of the checks and prints them, as text or JSON. */
#include "doctor.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../include/mpsan_version.h"
#include "../base/jsontext.h"
#include "../base/line.h"

#define FILE_MAX 65536

void doctor_say(struct doctor *doctor, enum doctor_grade grade, const char *subject, char *fix,
		const char *format, ...)
{
	struct doctor_line *line = ARRAY_ADD(&doctor->lines);
	va_list arguments;

	*line = (struct doctor_line){.grade = grade, .subject = subject, .fix = fix};
	va_start(arguments, format);
	if (vasprintf(&line->text, format, arguments) < 0)
		line->text = text_copy("(no memory)");
	va_end(arguments);
}

bool doctor_is_bad(const struct doctor *doctor)
{
	for (uint32_t i = 0; i < doctor->lines.count; i++)
		if (doctor->lines.item[i].grade == DOCTOR_BAD)
			return true;
	return false;
}

void doctor_finish(struct doctor *doctor)
{
	for (uint32_t i = 0; i < doctor->lines.count; i++) {
		free(doctor->lines.item[i].text);
		free(doctor->lines.item[i].fix);
	}
	free(doctor->lines.item);
	*doctor = (struct doctor){0};
}

void doctor_print(const struct doctor *doctor, FILE *out)
{
	static const char *const grades[] = {"ok", "warn", "BAD"};

	for (uint32_t i = 0; i < doctor->lines.count; i++) {
		const struct doctor_line *line = &doctor->lines.item[i];

		fprintf(out, "%-4s %s: ", grades[line->grade], line->subject);
		line_put(out, line->text);
		if (line->fix) {
			fputs("\n     fix: ", out);
			line_put(out, line->fix);
		}
		fputc('\n', out);
	}
}

json_t *doctor_json(const struct doctor *doctor, char **command)
{
	static const char *const grades[] = {"ok", "warn", "bad"};
	json_t *checks = json_array(), *words = command ? json_array() : json_null();

	for (uint32_t i = 0; i < doctor->lines.count; i++) {
		const struct doctor_line *line = &doctor->lines.item[i];

		json_array_append_new(
			checks, json_pack("{s:s, s:s, s:o, s:o}", "grade", grades[line->grade],
					  "subject", line->subject, "text", jsontext_of(line->text),
					  "fix", jsontext_of(line->fix)));
	}
	for (; command && *command; command++)
		json_array_append_new(words, jsontext_of(*command));
	return json_pack("{s:s, s:{s:s, s:s}, s:o, s:b, s:o}", "schema", "mpsan.doctor/1", "tool",
			 "name", "mpsan", "version", MPSAN_VERSION, "command", words, "usable",
			 !doctor_is_bad(doctor), "checks", checks);
}

char *doctor_read(const struct doctor *doctor, const char *path)
{
	char *name = text_format("%s%s", doctor->root, path), *text = NULL;
	int fd = open(name, O_RDONLY | O_CLOEXEC);
	ssize_t bytes = 0, more = 0;

	free(name);
	if (fd < 0)
		return NULL;
	text = memory_get(FILE_MAX + 1);
	while (bytes < FILE_MAX && (more = read(fd, text + bytes, FILE_MAX - bytes)) > 0)
		bytes += more;
	close(fd);
	if (more >= 0)
		return text;
	free(text);
	return NULL;
}

bool doctor_has(const struct doctor *doctor, const char *path)
{
	AUTO_FREE char *name = text_format("%s%s", doctor->root, path);

	return !access(name, F_OK);
}

long long doctor_number(const struct doctor *doctor, const char *path, long long otherwise)
{
	char *text = doctor_read(doctor, path), *end = text;
	long long number = text ? strtoll(text, &end, 10) : otherwise;

	if (end == text)
		number = otherwise;
	free(text);
	return number;
}
