/* SPDX-License-Identifier: Apache-2.0 */
/* See top.h: the header of the screen: session, counts, shared memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/jsontext.h"
#include "../evidence/text_cuda.h"
#include "../ps/ps_text.h"
#include "top.h"

struct counts {
	unsigned processes, threads, run, wait, sleep, lost;
	long long start_ns;
	const struct ps_process *first;
};

static void count_thread(struct counts *counts, const struct ps_thread *thread)
{
	counts->threads++;
	counts->run += thread->state == PS_RUNNING;
	counts->wait += thread->state == PS_WAITING;
	counts->sleep += thread->state == PS_SLEEPING;
	counts->lost += thread->waits.for_ever;
}

static void top_head_count(struct counts *counts, const struct ps_picture *found)
{
	for (uint32_t i = 0; i < found->processes.count; i++) {
		const struct ps_process *process = &found->processes.item[i];

		if (!counts->first || process->start_ns < counts->start_ns) {
			counts->first = process;
			counts->start_ns = process->start_ns;
		}
		if (process->life != PS_ALIVE)
			continue;
		counts->processes++;
		for (uint32_t k = 0; k < process->threads.count; k++)
			count_thread(counts, &process->threads.item[k]);
	}
}

static unsigned count_findings(const struct ps_picture *found, enum grade grade)
{
	unsigned count = 0;

	for (uint32_t i = 0; i < found->findings.count; i++)
		count += found->findings.item[i].grade == grade;
	return count;
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
	AUTO_FREE char *age = line_lapse(counts->start_ns, picture->found->now_ns);

	return text_format("mpsan top:%s %s, %s old, %s", state_text(picture, paused),
			   counts->first ? counts->first->command : "?", age,
			   picture->found->session);
}

static char *second_line(const struct top_picture *picture, const struct counts *counts)
{
	unsigned errors = count_findings(picture->found, GRADE_ERROR),
		 warnings = count_findings(picture->found, GRADE_WARNING),
		 notes = count_findings(picture->found, GRADE_NOTE);
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
	const json_t *exports = picture->found->exports;
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
	struct counts counts = {0};

	top_head_count(&counts, picture->found);
	top_rows_add(rows, NULL, over ? TOP_WARNING : TOP_HEAD,
		     first_line(picture, &counts, paused));
	top_rows_add(rows, NULL,
		     count_findings(picture->found, GRADE_ERROR) ? TOP_ERROR : TOP_PLAIN,
		     second_line(picture, &counts));
	top_rows_add(rows, NULL, TOP_PLAIN, third_line(picture));
	if (picture->found->triage.count)
		top_rows_add(rows, NULL, TOP_PLAIN, text_copy(picture->found->triage.item[0].text));
}
