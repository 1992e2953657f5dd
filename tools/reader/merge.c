/* SPDX-License-Identifier: Apache-2.0 */
/* Sorts new records by time with a heap over the logs. */
#include "merge.h"

#include <stdlib.h>

#define MARKS_KEPT 65536u /* capacity kept from one poll to the next */

void merge_log(struct merge *merge, const struct logfile *log)
{
	struct run *last = merge->runs.count ? &merge->runs.item[merge->runs.count - 1] : NULL;

	if (last && last->next == last->end)
		last->log = log;
	else
		*ARRAY_ADD(&merge->runs) =
			(struct run){log, merge->marks.count, merge->marks.count};
}

void merge_add(struct merge *merge, const struct record *record)
{
	*ARRAY_ADD(&merge->marks) = (struct mark){record->time_ns, record->pos};
	merge->runs.item[merge->runs.count - 1].end++;
}

static int compare_marks(const void *one, const void *other)
{
	const struct mark *a = one, *b = other;

	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns ? -1 : 1;
	return a->pos < b->pos ? -1 : a->pos > b->pos;
}

/* Threads of a process write into one log; each takes its timestamp before its place. */
static void sort_run(struct merge *merge, const struct run *run)
{
	struct mark *mark = merge->marks.item;

	for (uint32_t i = run->next + 1; i < run->end; i++)
		if (mark[i].time_ns < mark[i - 1].time_ns) {
			qsort(mark + run->next, run->end - run->next, sizeof(*mark), compare_marks);
			return;
		}
}

static bool is_before(const struct merge *merge, const struct run *one, const struct run *other)
{
	uint64_t a = merge->marks.item[one->next].time_ns;
	uint64_t b = merge->marks.item[other->next].time_ns;

	return a != b ? a < b : one->log->slot < other->log->slot;
}

/* Moves a run down the heap to its place. */
static void sink(struct merge *merge, uint32_t at)
{
	struct run *heap = merge->runs.item, moved = heap[at];
	uint32_t count = merge->runs.count, child;

	while ((child = 2 * at + 1) < count) {
		if (child + 1 < count && is_before(merge, &heap[child + 1], &heap[child]))
			child++;
		if (!is_before(merge, &heap[child], &moved))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = moved;
}

void merge_begin(struct merge *merge)
{
	uint32_t count = merge->runs.count;

	if (count && merge->runs.item[count - 1].next == merge->runs.item[count - 1].end)
		merge->runs.count = --count;
	for (uint32_t i = 0; i < count; i++)
		sort_run(merge, &merge->runs.item[i]);
	for (uint32_t i = count / 2; i-- > 0;)
		sink(merge, i);
}

bool merge_next(struct merge *merge, struct record *out)
{
	struct run *first = merge->runs.item;

	if (!merge->runs.count)
		return false;
	logfile_take(first->log, merge->marks.item[first->next].pos, out);
	if (++first->next == first->end)
		*first = merge->runs.item[--merge->runs.count];
	if (merge->runs.count)
		sink(merge, 0);
	return true;
}

void merge_clear(struct merge *merge)
{
	if (merge->marks.room > MARKS_KEPT)
		merge_finish(merge);
	merge->marks.count = merge->runs.count = 0;
}

void merge_finish(struct merge *merge)
{
	free(merge->marks.item);
	free(merge->runs.item);
	*merge = (struct merge){0};
}
