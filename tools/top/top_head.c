/* SPDX-License-Identifier: Apache-2.0 */
/* See top.h: the header of the screen: session, counts, shared memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/jsontext.h"
#include "../evidence/text_cuda.h"
#include "../ps/ps_text.h"
#include "../report/report.h"
#include "top.h"

struct counts {
	unsigned processes, threads, run, wait, sleep, lost;
	long long start_ns, shared;
	json_t *first; /* process */
};

static void count_thread(struct counts *counts, const json_t *thread)
{
	const char *state = jsontext_at(thread, "state");

	counts->threads++;
	counts->run += !strcmp(state, "running");
	counts->wait += !strcmp(state, "waiting");
	counts->sleep += !strcmp(state, "sleeping");
	counts->lost +=
		json_is_true(json_object_get(json_object_get(thread, "waits_for"), "for_ever"));
}

static void top_head_count(struct counts *counts, const json_t *document)
{
	json_t *process, *thread;

	JSON_EACH(process, json_object_get(document, "processes")) {
		long long start_ns = jsontext_number(process, "start_ns");

		if (!counts->first || start_ns < counts->start_ns) {
			counts->first = process;
			counts->start_ns = start_ns;
		}
		if (strcmp(jsontext_at(process, "state"), "alive"))
			continue;
		counts->processes++;
		counts->shared += jsontext_number(process, "shm_bytes");
		JSON_EACH(thread, json_object_get(process, "threads"))
			count_thread(counts, thread);
	}
}

static const char *state_text(const struct top_picture *picture, bool paused)
{
	switch (picture->state) {
	case TOP_ENDED:
		return " ENDED: last state;";
	case TOP_VANISHED:
		return " directory GONE: last state;";
	case TOP_DEAD:
		return " ENDED before: last known state;";
	case TOP_EMPTY:
		return " no process yet;";
	default:
		return paused ? " PAUSED;" : "";
	}
}

static char *first_line(const struct top_picture *picture, const struct counts *counts, bool paused)
{
	AUTO_FREE char *command = ps_command(json_incref(json_object_get(counts->first, "argv"))),
		       *age = line_lapse(counts->start_ns,
					 jsontext_number(picture->document, "time_ns"));

	return text_format("mpsan top:%s %s, %s old, %s", state_text(picture, paused), command, age,
			   jsontext_at(picture->document, "session"));
}

static char *second_line(const struct top_picture *picture, const struct counts *counts)
{
	unsigned errors = report_count(picture->document, "error"),
		 warnings = report_count(picture->document, "warning"),
		 notes = report_count(picture->document, "note");
	char lost[32] = "";

	if (counts->lost)
		snprintf(lost, sizeof(lost), " (%u forever)", counts->lost);
	return text_format(
		"%u error%s, %u warning%s, %u note%s; %u process%s, %u thread%s: %u run, %u wait%s, "
		"%u sleep",
		errors, errors == 1 ? "" : "s", warnings, warnings == 1 ? "" : "s", notes,
		notes == 1 ? "" : "s", counts->processes, counts->processes == 1 ? "" : "es",
		counts->threads, counts->threads == 1 ? "" : "s", counts->run, counts->wait, lost,
		counts->sleep);
}

/* Segments that exist now; memory of unknown segments is shown per process. */
static uint64_t there_bytes(const json_t *memory)
{
	uint64_t bytes = 0;
	json_t *segment;

	JSON_EACH(segment, json_object_get(memory, "segments"))
		bytes += (uint64_t)jsontext_number(segment, "bytes");
	return bytes;
}

static char *third_line(const struct top_picture *picture)
{
	const json_t *exports = json_object_get(picture->document, "exports");
	uint64_t bytes = there_bytes(picture->memory);
	char *there = bytes ? bytes_text(bytes) : text_copy("none"), *free_bytes, *size, *line;

	line = text_format("shared memory: %s", there);
	if (picture->shm_bytes) {
		free_bytes = bytes_text(picture->shm_free);
		size = bytes_text(picture->shm_bytes);
		line = text_join(line, "; ",
				 text_format("/dev/shm: %s of %s free", free_bytes, size));
		free(free_bytes);
		free(size);
	}
	if (jsontext_number(exports, "exports")) {
		size = bytes_text((uint64_t)jsontext_number(exports, "bytes"));
		line = text_join(line, "; ",
				 text_format("exports of device memory: %lld (%s), importers: %lld",
					     jsontext_number(exports, "exports"), size,
					     jsontext_number(exports, "importers")));
		free(size);
	}
	free(there);
	return line;
}

void top_rows_head(struct top_rows *rows, const struct top_picture *picture, bool paused)
{
	bool over = picture->state != TOP_LIVE && picture->state != TOP_EMPTY;
	const json_t *triage = json_array_get(json_object_get(picture->document, "triage"), 0);
	struct counts counts = {0};

	top_head_count(&counts, picture->document);
	top_rows_add(rows, NULL, over ? TOP_WARNING : TOP_HEAD,
		     first_line(picture, &counts, paused));
	top_rows_add(rows, NULL, report_count(picture->document, "error") ? TOP_ERROR : TOP_PLAIN,
		     second_line(picture, &counts));
	top_rows_add(rows, NULL, TOP_PLAIN, third_line(picture));
	if (*jsontext_at(triage, "text"))
		top_rows_add(rows, NULL, TOP_PLAIN, text_copy(jsontext_at(triage, "text")));
}
