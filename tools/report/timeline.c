/* SPDX-License-Identifier: Apache-2.0 */
/* Builds the timeline of a session: processes, threads, forks. */
#include "../base/index_map.h"
#include "timeline_draw.h"

#include <stdlib.h>
#include <string.h>

#include "../evidence/text_process.h"

struct timeline *timeline_create(void)
{
	return memory_get(sizeof(struct timeline));
}

void timeline_destroy(struct timeline *timeline)
{
	if (!timeline)
		return;
	for (uint32_t i = 0; i < timeline->processes.count; i++)
		free(timeline->processes.item[i].name);
	for (uint32_t i = 0; i < timeline->threads.count; i++)
		free(timeline->threads.item[i].name);
	for (uint32_t i = 0; i < timeline->spans.count; i++)
		free(timeline->spans.item[i].what);
	for (uint32_t i = 0; i < timeline->objects.count; i++)
		free(timeline->objects.item[i].name);
	free(timeline->processes.item);
	free(timeline->threads.item);
	free(timeline->spans.item);
	free(timeline->flows.item);
	free(timeline->objects.item);
	free(timeline->uses.item);
	free(timeline->levels.item);
	free(timeline);
}

/* "python3 train.py": the program and its first argument that is no option. */
static char *command_text(const struct mpsan_process *process)
{
	uint32_t bytes = process->argv_bytes < MPSAN_ARGV_BYTES ? process->argv_bytes :
								  MPSAN_ARGV_BYTES;
	size_t length = strnlen(process->argv, bytes);
	char *program = text_format("%.*s", (int)length, process->argv), *text;

	for (size_t at = length + 1; at < bytes; at += length + 1) {
		AUTO_FREE char *argument = NULL;

		length = strnlen(process->argv + at, bytes - at);
		if (!length || process->argv[at] == '-')
			continue;
		argument = text_format("%.*s", (int)length, process->argv + at);
		text = text_format("%s %s", path_base(program), path_base(argument));
		free(program);
		return text;
	}
	text = *program ? text_copy(path_base(program)) : text_format("process %u", process->pid);
	free(program);
	return text;
}

static char *process_label(const struct reader *reader, uint32_t slot)
{
	char *name = process_given_name(reader, slot);
	const char *role = name ? NULL : process_role(reader, slot);

	if (name)
		return name;
	return role ? text_copy(role) : command_text(&reader->session.table[slot]);
}

static void draw_processes(struct drawing *drawing)
{
	const struct reader *reader = drawing->reader;

	READER_EACH_SLOT(reader, slot) {
		const struct mpsan_process *process = &reader->session.table[slot];
		uint64_t birth = process->birth_ns ? process->birth_ns :
						     reader->session.head->start_ns;

		if (!process->pid)
			continue;
		*ARRAY_ADD(&drawing->line->processes) = (struct line_process){
			.source = drawing->source,
			.slot = slot,
			.pid = process->pid,
			.parent = process->parent ? draw_process(drawing, process->parent - 1) :
						    LINE_NONE,
			.name = process_label(reader, slot),
			.begin_ns = draw_time(drawing, birth),
			.end_ns = draw_time(drawing, draw_end_ns(drawing, slot)),
		};
		drawing->process_of[slot] = drawing->line->processes.count - 1;
		draw_thread(drawing, slot, process->pid, birth);
	}
}

#define AHEAD 16u /* events whose records are fetched ahead: the next one is seldom in a cache */

static void draw_threads(struct drawing *drawing)
{
	const struct reader *reader = drawing->reader;

	for (uint32_t i = 0; i < reader->threads.count; i++) {
		const struct fact_place *at = &reader->threads.item[i].at;

		draw_thread(drawing, at->by, at->tid, at->time_ns);
	}
	for (uint32_t i = 0; i < drawing->facts->event_count; i++) {
		const struct fact_event *event = &drawing->facts->events[i];

		if (i + AHEAD < drawing->facts->event_count)
			__builtin_prefetch(event_record(event + AHEAD));

		/* The supervisor's records name a process, but none of its threads. */
		if (event->slot != reader->session.slots)
			draw_thread(drawing, event->by, event_tid(event), event_time(event));
		reader_trim_at(reader, i);
	}
}

static void draw_forks(struct drawing *drawing)
{
	for (uint32_t i = 0; i < drawing->facts->fork_count; i++) {
		const struct fact_fork *fork = &drawing->facts->forks[i];
		const struct mpsan_process *child;
		uint32_t from, to;

		from = draw_thread(drawing, fork->at.by, fork->at.tid, fork->at.time_ns);
		if (fork->child == FACT_NONE || from == LINE_NONE)
			continue;
		child = drawing->facts->processes[fork->child].slot;
		to = draw_thread(drawing, fork->child, child->pid, child->birth_ns);
		if (to == LINE_NONE)
			continue;
		draw_flow(drawing, FLOW_FORK, LINE_NONE, (uint32_t[]){from, to},
			  (uint64_t[]){fork->at.time_ns, child->birth_ns});
	}
}

void timeline_add(struct timeline *timeline, uint32_t source, int64_t skew_ns,
		  const struct judge *judge)
{
	uint32_t slots = judge->reader->session.slots;
	struct drawing drawing = {
		.line = timeline,
		.judge = judge,
		.reader = judge->reader,
		.facts = &judge->reader->facts,
		.source = source,
		.skew_ns = skew_ns,
		.process_of = memory_get(slots * sizeof(uint32_t)),
		.threads = index_map_create(),
		.locks = index_map_create(),
		.waits = index_map_create(),
	};

	for (uint32_t i = 0; i < slots; i++)
		drawing.process_of[i] = LINE_NONE;
	draw_processes(&drawing);
	draw_threads(&drawing);
	draw_forks(&drawing);
	draw_spans(&drawing);
	draw_memory(&drawing);
	draw_levels(&drawing);
	free(drawing.changes.item);
	free(drawing.process_of);
	index_map_destroy(drawing.threads);
	index_map_destroy(drawing.locks);
	index_map_destroy(drawing.waits);
	for (uint32_t i = 0; i < drawing.lock_names.count; i++)
		free(drawing.lock_names.item[i]);
	free(drawing.lock_names.item);
}
