/* SPDX-License-Identifier: Apache-2.0 */
/* Draws how much memory each process has over time. Neighbour: timeline_memory.c. */
#include "timeline_draw.h"

#include <stdlib.h>

/* More than any process has: a larger number is not a size. */
#define BYTES_MAX (1ull << 47)

/* Steps into which a longer series is reduced; each keeps its highest and its last level. */
#define STEPS 500u

void draw_change(struct drawing *drawing, enum level_kind kind, uint32_t slot, uint64_t bytes,
		 uint64_t begin, uint64_t end)
{
	uint32_t process = draw_process(drawing, slot);

	if (process == LINE_NONE || !bytes || bytes > BYTES_MAX || (end && end < begin))
		return;
	*ARRAY_ADD(&drawing->changes) = (struct change){begin, (int64_t)bytes, process, kind};
	if (end)
		*ARRAY_ADD(&drawing->changes) =
			(struct change){end, -(int64_t)bytes, process, kind};
}

static int timeline_levels_compare(const void *one, const void *other)
{
	const struct change *a = one, *b = other;

	if (a->process != b->process)
		return a->process < b->process ? -1 : 1;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns ? -1 : 1;
	return a->bytes < b->bytes ? -1 : a->bytes > b->bytes;
}

static void add_level(struct drawing *drawing, const struct change *at, int64_t bytes)
{
	*ARRAY_ADD(&drawing->line->levels) =
		(struct line_level){.process = at->process,
				    .kind = at->kind,
				    .at_ns = draw_time(drawing, at->time_ns),
				    .bytes = bytes > 0 ? (uint64_t)bytes : 0};
}

/* Draws the changes of one kind and process. */
static void draw_series(struct drawing *drawing, const struct change *list, uint32_t count)
{
	uint64_t step = count > 2 * STEPS ? (list[count - 1].time_ns - list->time_ns) / STEPS : 0;
	const struct change *peak = NULL;
	int64_t sum = 0, most = 0;

	for (uint32_t i = 0; i < count; i++) {
		const struct change *next = i + 1 < count ? &list[i + 1] : NULL;

		if (__builtin_add_overflow(sum, list[i].bytes, &sum))
			sum = 0;
		if (next && next->time_ns == list[i].time_ns)
			continue;
		if (!peak || sum > most) {
			most = sum;
			peak = &list[i];
		}
		if (next && step &&
		    (next->time_ns - list->time_ns) / step ==
			    (list[i].time_ns - list->time_ns) / step)
			continue;
		if (peak != &list[i])
			add_level(drawing, peak, most);
		add_level(drawing, &list[i], sum);
		peak = NULL;
	}
}

void draw_levels(struct drawing *drawing)
{
	const struct change *list = drawing->changes.item;
	uint32_t count = drawing->changes.count;

	if (count)
		qsort(drawing->changes.item, count, sizeof(*list), timeline_levels_compare);
	for (uint32_t begin = 0, end; begin < count; begin = end) {
		for (end = begin + 1; end < count && list[end].process == list[begin].process &&
				      list[end].kind == list[begin].kind;)
			end++;
		draw_series(drawing, list + begin, end - begin);
	}
}
