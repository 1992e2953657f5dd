/*
 * Writes the page of --report html for a JSON report on standard input: page REPORT.html. Its member `timeline`, which
 * only the tests give, becomes the time line: processes [pid], threads [process, tid, begin, end], spans [thread, kind,
 * begin, end, what].
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "formats/formats.h"

static uint64_t number_at(const json_t *list, size_t i)
{
	return (uint64_t)json_integer_value(json_array_get(list, i));
}

static struct timeline *timeline_of(const json_t *given)
{
	struct timeline *line = timeline_create();
	json_t *one;
	size_t i;

	json_array_foreach(json_object_get(given, "processes"), i, one)
		*ARRAY_ADD(&line->processes) =
			(struct line_process){.pid = (uint32_t)number_at(one, 0),
					      .parent = LINE_NONE,
					      .name = text_copy("")};
	json_array_foreach(json_object_get(given, "threads"), i, one)
		*ARRAY_ADD(&line->threads) = (struct line_thread){
			(uint32_t)number_at(one, 0), (uint32_t)number_at(one, 1), text_copy(""),
			number_at(one, 2), number_at(one, 3)};
	json_array_foreach(json_object_get(given, "spans"), i, one)
		*ARRAY_ADD(&line->spans) = (struct line_span){
			(uint32_t)number_at(one, 0), (uint32_t)number_at(one, 1), number_at(one, 2),
			number_at(one, 3), text_copy(json_string_value(json_array_get(one, 4)))};
	return line;
}

int main(int argc, char **argv)
{
	json_error_t error;
	struct report report = {.document = json_loadf(stdin, 0, &error)};
	json_t *given;
	FILE *out = argc == 2 ? fopen(argv[1], "we") : NULL;

	if (!report.document || !out) {
		fprintf(stderr, "page: %s\n", out ? error.text : strerror(errno));
		return 2;
	}
	given = json_object_get(report.document, "timeline");
	if (given)
		report.timeline = timeline_of(given);
	json_object_del(report.document, "timeline");
	out_html(out, &report);
	report_finish(&report);
	return fclose(out) ? 2 : 0;
}
