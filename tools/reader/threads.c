/* SPDX-License-Identifier: Apache-2.0 */
/* Tracks starts, names and ends of threads. */
#include "threads.h"
#include "../base/index_map.h"

#include <stddef.h>
#include <string.h>

/* of a start in an older log, without Python frames */
#define STARTED_BYTES offsetof(struct ev_thread_start, python)

static uint32_t newest_start(const struct reader *reader, uint32_t slot, uint32_t tid)
{
	return index_map_find(reader->places, slot, tid, PLACE_THREAD);
}

static void collect_start(struct reader *reader, const struct record *record)
{
	uint32_t before = newest_start(reader, record->by, record->tid);
	struct fact_thread *thread = ARRAY_ADD(&reader->threads);

	*thread = (struct fact_thread){.at = reader_place(record), .before = before};
	memcpy(&thread->ev, record->payload,
	       record->bytes < sizeof(thread->ev) ? record->bytes : sizeof(thread->ev));
	thread->start = thread->ev.start ? thread->ev.start : record->time_ns;
	index_map_add(reader->places, record->by, record->tid, PLACE_THREAD,
		      reader->threads.count - 1);
}

static void collect_gone(struct reader *reader, const struct record *record)
{
	const struct ev_thread_gone *gone = record->payload;
	uint32_t i = newest_start(reader, record->by, (uint32_t)gone->thread);

	for (; i != FACT_NONE; i = reader->threads.item[i].before)
		if (reader->threads.item[i].start == gone->start)
			reader->threads.item[i].gone_pos = record->pos;
}

static void add_name(struct reader *reader, const struct fact_place *at, uint32_t tid,
		     uint64_t start, uint64_t name)
{
	uint32_t before = index_map_find(reader->places, at->by, tid, PLACE_THREAD_NAME);

	*ARRAY_ADD(&reader->thread_names) = (struct seen_thread_name){*at, start, name, before};
	index_map_add(reader->places, at->by, tid, PLACE_THREAD_NAME,
		      reader->thread_names.count - 1);
}

bool threads_collect(struct reader *reader, const struct record *record)
{
	const struct ev_thread_name *named = record->payload;
	struct fact_place at = reader_place(record);

#define TAKES(event) (record->type == EV_##event && record->bytes >= sizeof(struct ev_##event))
	if (record->type == EV_thread_start && record->bytes >= STARTED_BYTES)
		collect_start(reader, record);
	else if (TAKES(thread_gone))
		collect_gone(reader, record);
	else if (TAKES(thread_name))
		add_name(reader, &at, (uint32_t)named->thread, named->start, named->name);
	else
		return false;
#undef TAKES
	return true;
}

/* When the thread with this TID at that time started, as far as recorded; 0: unknown. */
static uint64_t start_at(const struct reader *reader, uint32_t slot, uint32_t tid, uint64_t time_ns)
{
	const struct fact_thread *thread = threads_at(reader, slot, tid, time_ns);
	uint64_t start = thread ? thread->start : 0;
	uint32_t i = index_map_find(reader->places, slot, tid, PLACE_THREAD_NAME);

	for (; i != FACT_NONE; i = reader->thread_names.item[i].before) {
		uint64_t begun = reader->thread_names.item[i].start;

		if (begun <= time_ns && begun > start)
			start = begun;
	}
	return start;
}

void threads_named(struct reader *reader, const struct fact_place *at, uint64_t name)
{
	add_name(reader, at, at->tid, start_at(reader, at->by, at->tid, at->time_ns), name);
}

const struct fact_thread *threads_at(const struct reader *reader, uint32_t slot, uint32_t tid,
				     uint64_t time_ns)
{
	uint32_t i = newest_start(reader, slot, tid);

	while (i != FACT_NONE && reader->threads.item[i].start > time_ns)
		i = reader->threads.item[i].before;
	return i == FACT_NONE ? NULL : &reader->threads.item[i];
}

/* Sessions of version 0.1.0 have names only in the threads' records, which later threads reuse. */
static const char *recorded_name(const struct reader *reader, uint32_t slot, uint64_t pos,
				 uint32_t tid, uint64_t time_ns)
{
	const struct mpsan_thread *thread;
	struct record record;

	if (!reader_record(reader, slot, pos, EV_thread, &record) ||
	    record.bytes < offsetof(struct mpsan_thread, pool))
		return NULL;
	thread = record.payload;
	return thread->tid == tid && thread->start_ns <= time_ns ?
		       reader_text(reader, slot, thread->name_pos) :
		       NULL;
}

static const char *indexed_name(const struct reader *reader, uint32_t slot, uint32_t tid,
				uint64_t time_ns)
{
	const struct logfile *log = slot < reader->session.slots ? reader->logs[slot] : NULL;
	const uint32_t *index;

	if (!log)
		return NULL;
	index = (const uint32_t *)(log->map + MPSAN_THREAD_INDEX);
	for (uint32_t i = 0; i < MPSAN_THREADS; i++) {
		const char *name = index[i] ? recorded_name(reader, slot,
							    (uint64_t)index[i] * MPSAN_UNIT, tid,
							    time_ns) :
					      NULL;

		if (name)
			return name;
	}
	return NULL;
}

const char *threads_name(const struct reader *reader, uint32_t slot, uint32_t tid, uint64_t time_ns)
{
	uint64_t start = start_at(reader, slot, tid, time_ns);
	uint32_t i = index_map_find(reader->places, slot, tid, PLACE_THREAD_NAME);
	const struct seen_thread_name *best = NULL;

	if (i == FACT_NONE)
		return indexed_name(reader, slot, tid, time_ns);
	for (; i != FACT_NONE; i = reader->thread_names.item[i].before) {
		const struct seen_thread_name *name = &reader->thread_names.item[i];

		if (name->start == start && (!best || best->at.time_ns > time_ns))
			best = name;
	}
	return best ? reader_text(reader, best->at.slot, best->name) : NULL;
}

bool threads_lives(const struct fact_thread *thread, const struct fact_fork *fork)
{
	bool gone = thread->gone_pos && thread->at.slot == fork->at.slot &&
		    thread->gone_pos < fork->at.pos;

	return thread->at.by == fork->at.by && thread->at.tid != fork->at.tid &&
	       thread->start <= fork->at.time_ns && !gone;
}

/* The index is a hash table, filled by the library. */
static uint32_t index_at(const struct reader *reader, uint32_t slot, uint32_t place)
{
	const struct logfile *log = reader->logs[slot];
	const uint32_t *index = log ? (const uint32_t *)(log->map + MPSAN_THREAD_INDEX) : NULL;

	return index ? __atomic_load_n(&index[place], __ATOMIC_ACQUIRE) : 0;
}

const struct mpsan_thread *threads_record_at(const struct reader *reader, uint32_t slot,
					     uint32_t place)
{
	uint32_t units = index_at(reader, slot, place);
	struct record record;

	return units &&
			       reader_record(reader, slot, (uint64_t)units * MPSAN_UNIT, EV_thread,
					     &record) &&
			       record.bytes >= sizeof(struct mpsan_thread) ?
		       record.payload :
		       NULL;
}

const struct mpsan_thread *threads_record(const struct reader *reader, uint32_t slot, uint32_t tid)
{
	uint32_t place = mpsan_thread_place(tid);
	const struct mpsan_thread *thread;

	for (uint32_t i = 0; i < MPSAN_THREADS && index_at(reader, slot, place); i++) {
		thread = threads_record_at(reader, slot, place);
		if (thread && __atomic_load_n(&thread->tid, __ATOMIC_ACQUIRE) == tid)
			return thread;
		place = (place + 1) % MPSAN_THREADS;
	}
	return NULL;
}

/* A futex in the first word of what the claim before is about is how that is waited for: libstdc++'s guards. */
static bool is_within(const struct mpsan_hold *futex, const struct mpsan_hold *claim)
{
	return MPSAN_TAG_KIND(futex->tag) == MPSAN_WAIT_FUTEX && claim->tag & MPSAN_TAG_WANTED &&
	       MPSAN_TAG_ADDRESS(futex->tag) - MPSAN_TAG_ADDRESS(claim->tag) < sizeof(uint64_t);
}

struct mpsan_hold threads_record_wanted(const struct mpsan_thread *record)
{
	uint32_t used = record ? record->holds_used : 0;

	if (!used || used > MPSAN_HOLDS || !(record->hold[used - 1].tag & MPSAN_TAG_WANTED))
		return (struct mpsan_hold){0};
	if (used > 1 && is_within(&record->hold[used - 1], &record->hold[used - 2]))
		used--;
	return record->hold[used - 1];
}

bool threads_record_holds(const struct mpsan_thread *record, uint64_t lock, struct mpsan_hold *hold)
{
	uint32_t used = record && record->holds_used <= MPSAN_HOLDS ? record->holds_used : 0;

	for (uint32_t i = 0; i < used; i++) {
		*hold = record->hold[i];
		if (MPSAN_TAG_ADDRESS(hold->tag) == lock && !(hold->tag & MPSAN_TAG_WANTED))
			return true;
	}
	return false;
}
