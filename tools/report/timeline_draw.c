/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by all parts of a timeline: times, processes, threads, and flows between them. */
#include "timeline_draw.h"
#include "../base/index_map.h"
#include "../evidence/text_locks.h"

uint64_t draw_time(const struct drawing *drawing, uint64_t time_ns)
{
	uint64_t real = reader_real_ns(drawing->reader, time_ns);

	return real ? real - (uint64_t)drawing->skew_ns : 0;
}

uint32_t draw_process(const struct drawing *drawing, uint32_t slot)
{
	return slot < drawing->reader->session.slots ? drawing->process_of[slot] : LINE_NONE;
}

uint64_t draw_end_ns(const struct drawing *drawing, uint32_t slot)
{
	return cuda_end_ns(drawing->facts, slot);
}

static char *thread_label(struct drawing *drawing, uint32_t slot, uint32_t tid, uint64_t time_ns)
{
	if (drawing->threads_named++ < LINE_NAMES_MAX)
		return thread_text(drawing->reader, drawing->judge->frames, slot, tid, time_ns);
	return text_format("TID %u", tid);
}

uint32_t draw_thread(struct drawing *drawing, uint32_t slot, uint32_t tid, uint64_t time_ns)
{
	uint32_t process = draw_process(drawing, slot),
		 found = index_map_find(drawing->threads, slot, tid, 0);
	uint64_t begin = draw_time(drawing, time_ns);

	if (found != FACT_NONE) {
		struct line_thread *thread = &drawing->line->threads.item[found];

		if (begin && begin < thread->begin_ns)
			thread->begin_ns = begin;
		return found;
	}
	if (process == LINE_NONE || !tid)
		return LINE_NONE;
	if (drawing->line->threads.count == LINE_THREADS_MAX) {
		drawing->line->left_out++;
		return LINE_NONE;
	}
	*ARRAY_ADD(&drawing->line->threads) = (struct line_thread){
		.process = process,
		.tid = tid,
		.name = thread_label(drawing, slot, tid, time_ns),
		.begin_ns = begin,
	};
	index_map_add(drawing->threads, slot, tid, 0, drawing->line->threads.count - 1);
	return drawing->line->threads.count - 1;
}

void draw_flow(struct drawing *drawing, enum flow_kind kind, uint32_t object,
	       const uint32_t threads[2], const uint64_t times[2])
{
	if (drawing->line->flows.count == LINE_FLOWS_MAX) {
		drawing->line->left_out++;
		return;
	}
	*ARRAY_ADD(&drawing->line->flows) = (struct line_flow){
		.kind = kind,
		.from = threads[0],
		.to = threads[1],
		.from_ns = draw_time(drawing, times[0]),
		.to_ns = draw_time(drawing, times[1]),
		.object = object,
	};
}
