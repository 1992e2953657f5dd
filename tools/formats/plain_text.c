/* SPDX-License-Identifier: Apache-2.0 */
/* Renders a finding as lines of plain text. */
#include "plain_text.h"

#include <stdio.h>

#include "../base/headline.h"
#include "../base/jsontext.h"
#include "../base/line.h"
#include "../base/util.h"

static void print_frames(FILE *out, const json_t *frames, const struct locator *locator,
			 size_t shown)
{
	struct location location;
	json_t *frame;
	size_t i;

	json_array_foreach(frames, i, frame) {
		AUTO_FREE char *where = NULL;

		if (i == shown) {
			fprintf(out, "     … %zu more\n", json_array_size(frames) - shown);
			break;
		}
		location_of_frame(&location, locator, frame);
		where = location_text(&location);
		fputs("     ", out);
		line_put(out, jsontext_at(frame, "function"));
		fputs(where ? " " : "", out);
		line_put(out, where ? where : "");
		fputc('\n', out);
		location_finish(&location);
	}
}

static void print_step(FILE *out, size_t number, const json_t *step, const struct locator *locator,
		       size_t frames)
{
	struct location location = {0};
	AUTO_FREE char *where = NULL;

	location_of_step(&location, locator, step);
	where = location_text(&location);
	fprintf(out, "%zu. ", number);
	line_put(out, jsontext_at(step, "what"));
	if (where) {
		fputs(" [", out);
		line_put(out, where);
		fputc(']', out);
	}
	fputc('\n', out);
	if (frames)
		print_frames(out, json_object_get(step, "python"), locator, frames);
	location_finish(&location);
}

char *plain_head(const json_t *finding)
{
	return headline_lines(jsontext_at(finding, "what"), jsontext_at(finding, "why"),
			      jsontext_at(finding, "fix"));
}

char *plain_story(const json_t *finding, const struct locator *locator, size_t frames)
{
	long long count = json_integer_value(json_object_get(finding, "count"));
	char *text = NULL;
	size_t bytes, i;
	FILE *out = open_memstream(&text, &bytes);
	json_t *step;

	if (!out)
		return text_copy("");
	json_array_foreach(json_object_get(finding, "evidence"), i, step)
		print_step(out, i + 1, step, locator, frames);
	if (*jsontext_at(finding, "outcome"))
		fprintf(out, "outcome: %s\n", jsontext_at(finding, "outcome"));
	fprintf(out, "fix: %s\nfingerprint: %s", jsontext_at(finding, "fix"),
		jsontext_at(finding, "fingerprint"));
	if (count > 1)
		fprintf(out, " (seen %lld times)", count);
	if (*jsontext_at(finding, "spread"))
		fprintf(out, "\nseen %s", jsontext_at(finding, "spread"));
	fclose(out);
	return text;
}
