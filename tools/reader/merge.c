/* SPDX-License-Identifier: Apache-2.0 */
/* Sorts new records by time with a heap over the logs. */
#include "merge.h"

#include <stdlib.h>

#define PLACES_KEPT 65536u /* capacity kept from one poll to the next */

void merge_log(struct merge *merge, const struct logfile *log)
{
	struct run *last = merge->runs.count ? &merge->runs.item[merge->runs.count - 1] : NULL;

	if (!last || last->next != last->end)
		last = ARRAY_ADD(&merge->runs);
	*last = (struct run){.log = log, .next = merge->places.count, .end = merge->places.count};
}

void merge_add(struct merge *merge, const struct record *record)
{
	struct run *run = &merge->runs.item[merge->runs.count - 1];

	*ARRAY_ADD(&merge->places) = (uint32_t)(record->pos / MPSAN_UNIT);
	run->end++;
	run->unsorted = run->unsorted || record->time_ns < run->time_ns;
	run->time_ns = record->time_ns;
}

static uint64_t time_at(const struct merge *merge, const struct run *run, uint32_t i)
{
	return logfile_time(run->log, merge->places.item[i] * (uint64_t)MPSAN_UNIT);
}

/* Until it is this log's turn again, records of many others are read. */
static void expect_record(const struct merge *merge, const struct run *run, uint32_t i)
{
	__builtin_prefetch(run->log->map + merge->places.item[i] * (uint64_t)MPSAN_UNIT);
}

/* A record's time and its place in its log. */
struct mark {
	uint64_t time_ns;
	uint32_t place;
};

static int compare_marks(const void *one, const void *other)
{
	const struct mark *a = one, *b = other;

	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns ? -1 : 1;
	return a->place < b->place ? -1 : a->place > b->place;
}

/* Threads of a process write into one log; each takes its timestamp before its place. */
static void sort_run(struct merge *merge, const struct run *run)
{
	uint32_t *place = merge->places.item + run->next, count = run->end - run->next;
	AUTO_FREE struct mark *mark = memory_get(count * sizeof(*mark));

	for (uint32_t i = 0; i < count; i++)
		mark[i] = (struct mark){time_at(merge, run, run->next + i), place[i]};
	qsort(mark, count, sizeof(*mark), compare_marks);
	for (uint32_t i = 0; i < count; i++)
		place[i] = mark[i].place;
}

static bool is_before(const struct run *one, const struct run *other)
{
	return one->time_ns != other->time_ns ? one->time_ns < other->time_ns :
						one->log->slot < other->log->slot;
}

/* Moves a run down the heap to its place. */
static void sink(struct merge *merge, uint32_t at)
{
	struct run *heap = merge->runs.item, moved = heap[at];
	uint32_t count = merge->runs.count, child;

	while ((child = 2 * at + 1) < count) {
		if (child + 1 < count && is_before(&heap[child + 1], &heap[child]))
			child++;
		if (!is_before(&heap[child], &moved))
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
	for (uint32_t i = 0; i < count; i++) {
		if (merge->runs.item[i].unsorted)
			sort_run(merge, &merge->runs.item[i]);
		merge->runs.item[i].time_ns =
			time_at(merge, &merge->runs.item[i], merge->runs.item[i].next);
	}
	for (uint32_t i = count / 2; i-- > 0;)
		sink(merge, i);
}

bool merge_next(struct merge *merge, struct record *out)
{
	struct run *first = merge->runs.item;

	if (!merge->runs.count)
		return false;
	logfile_take(first->log, merge->places.item[first->next] * (uint64_t)MPSAN_UNIT, out);
	if (++first->next == first->end) {
		*first = merge->runs.item[--merge->runs.count];
	} else {
		first->time_ns = time_at(merge, first, first->next);
		if (first->next + 1 < first->end)
			expect_record(merge, first, first->next + 1);
	}
	if (merge->runs.count)
		sink(merge, 0);
	return true;
}

void merge_clear(struct merge *merge)
{
	if (merge->places.room > PLACES_KEPT)
		merge_finish(merge);
	merge->places.count = merge->runs.count = 0;
}

void merge_finish(struct merge *merge)
{
	free(merge->places.item);
	free(merge->runs.item);
	*merge = (struct merge){0};
}
