/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Draws waits and held locks. Only what is known is drawn: a hold seen at a fork begins at the
 * fork, as the time of the acquisition is unknown. Neighbours: timeline_draw.h, text_locks.h.
 */
#include "../base/index_map.h"
#include "timeline_draw.h"

#include <stdlib.h>

#include "../evidence/evidence_deadlock.h"
#include "../evidence/text_locks.h"

/* Marks a hold in the key of drawing.waits, besides the kind of lock. */
#define HOLD_TYPE 0x8000u

/* The name of a lock, looked up once per process. Borrowed until the next call. */
static const char *lock_name(struct drawing *drawing, const struct lock_ref *lock)
{
	uint32_t found = index_map_find(drawing->locks, lock->at->by, lock->address + 1,
					(uint16_t)lock->kind);
	char *name;

	if (found != FACT_NONE)
		return drawing->lock_names.item[found];
	if (drawing->lock_names.count < LINE_LOCKS_NAMED_MAX)
		name = lock_text(drawing->reader, drawing->judge->frames, lock);
	else
		name = text_format("%s 0x%llx", lock_kind_text(lock->kind, lock->flags),
				   (unsigned long long)lock->address);
	*ARRAY_ADD(&drawing->lock_names) = name;
	index_map_add(drawing->locks, lock->at->by, lock->address + 1, (uint16_t)lock->kind,
		      drawing->lock_names.count - 1);
	return name;
}

/* `begin` and `end` are session times; `end` 0: never. */
static uint32_t add_span(struct drawing *drawing, uint32_t thread, enum span_kind kind,
			 uint64_t begin, uint64_t end, char *what)
{
	if (thread == LINE_NONE || drawing->line->spans.count == LINE_SPANS_MAX) {
		drawing->line->left_out += thread != LINE_NONE;
		free(what);
		return LINE_NONE;
	}
	*ARRAY_ADD(&drawing->line->spans) = (struct line_span){
		.thread = thread,
		.kind = kind,
		.begin_ns = draw_time(drawing, begin),
		.end_ns = draw_time(drawing, end && end < begin ? begin : end),
		.what = what,
	};
	return drawing->line->spans.count - 1;
}

/* What a thread waits for, as in findings. */
static char *wait_text(struct drawing *drawing, const struct fact_blocked *blocked)
{
	const struct evidence_context ctx = {drawing->reader, drawing->judge->frames};

	if (drawing->waits_named++ < LINE_LOCKS_NAMED_MAX)
		return deadlock_awaited(&ctx, blocked);
	return text_copy(lock_kind_text(blocked->ev.kind, blocked->ev.flags));
}

static void draw_waits(struct drawing *drawing)
{
	for (uint32_t i = 0; i < drawing->facts->wait_count; i++) {
		const struct fact_wait *wait = &drawing->facts->waits[i];
		uint32_t thread = draw_thread(drawing, wait->at.by, wait->at.tid, wait->at.time_ns),
			 span;
		uint64_t end = wait->end_ns ? wait->end_ns : draw_end_ns(drawing, wait->at.by);
		const struct fact_held *held =
			wait->held == FACT_NONE ? NULL : &drawing->facts->helds[wait->held];
		const struct lock_ref lock = {.at = &wait->at,
					      .held = held,
					      .address = wait->ev.lock,
					      .kind = wait->ev.kind,
					      .flags = wait->ev.flags};

		span = add_span(drawing, thread, SPAN_WAIT, wait->at.time_ns, end,
				text_copy(lock_name(drawing, &lock)));
		if (span != LINE_NONE)
			index_map_add(drawing->waits, thread, wait->ev.lock + 1,
				      (uint16_t)wait->ev.kind, span);
	}
}

/* Whether a wait seen by the supervisor is drawn already. */
static bool is_drawn(const struct drawing *drawing, uint32_t thread, const struct ev_blocked *ev)
{
	uint32_t span = index_map_find(drawing->waits, thread, ev->lock + 1, (uint16_t)ev->kind);
	uint64_t since = draw_time(drawing, ev->since);

	return span != FACT_NONE && (!drawing->line->spans.item[span].end_ns ||
				     drawing->line->spans.item[span].end_ns > since);
}

/* Draws that the owner has the lock at least since the first wait for it began. */
static void draw_owner(struct drawing *drawing, const struct fact_blocked *blocked, uint64_t since)
{
	const struct ev_blocked *ev = &blocked->ev;
	uint32_t slot = ev->owner_slot ? (uint32_t)ev->owner_slot - 1 : blocked->at.by, thread,
		 span;
	uint16_t type = (uint16_t)(ev->kind | HOLD_TYPE);

	if (!ev->owner || ev->flags & MPSAN_LF_OWNER_DEAD ||
	    !mpsan_kind_is_lock((unsigned)ev->kind) || slot >= drawing->reader->session.slots)
		return;
	thread = draw_thread(drawing, slot, (uint32_t)ev->owner, since);
	if (thread == LINE_NONE ||
	    index_map_find(drawing->waits, thread, ev->lock + 1, type) != FACT_NONE)
		return;
	span = add_span(drawing, thread, SPAN_HOLD, since, draw_end_ns(drawing, slot),
			wait_text(drawing, blocked));
	if (span != LINE_NONE)
		index_map_add(drawing->waits, thread, ev->lock + 1, type, span);
}

static void draw_blocked(struct drawing *drawing)
{
	for (uint32_t i = 0; i < drawing->facts->blocked_count; i++) {
		const struct fact_blocked *blocked = &drawing->facts->blockeds[i];
		uint64_t since = blocked->ev.since ? blocked->ev.since : blocked->at.time_ns;
		uint32_t thread = draw_thread(drawing, blocked->at.by, blocked->at.tid, since),
			 span;

		if (thread == LINE_NONE || is_drawn(drawing, thread, &blocked->ev))
			continue;
		span = add_span(drawing, thread, SPAN_WAIT, since,
				draw_end_ns(drawing, blocked->at.by), wait_text(drawing, blocked));
		if (span != LINE_NONE)
			index_map_add(drawing->waits, thread, blocked->ev.lock + 1,
				      (uint16_t)blocked->ev.kind, span);
		draw_owner(drawing, blocked, since);
	}
}

/* A code region rather than an object. */
static bool is_region(uint64_t kind)
{
	return kind == MPSAN_LOCK_LIBC || kind == MPSAN_LOCK_IMPORT || kind == MPSAN_LOCK_GUARD;
}

/*
 * In the parent the hold is known during the fork. In the child the copy stays locked, unless the
 * forking thread is the owner or the child's atfork handlers repaired it.
 */
static void draw_hold(struct drawing *drawing, const struct fact_fork *fork,
		      const struct fact_held *held)
{
	const struct lock_ref lock = {.at = &held->at,
				      .held = held,
				      .address = held->ev.lock,
				      .kind = held->ev.kind,
				      .flags = held->ev.flags};
	enum span_kind kind = is_region(held->ev.kind) ? SPAN_REGION : SPAN_HOLD;
	const struct mpsan_process *child =
		fork->child == FACT_NONE ? NULL : drawing->facts->processes[fork->child].slot;
	uint64_t begin = fork->at.time_ns, end = child ? child->birth_ns : begin;
	uint32_t holder = (uint32_t)held->ev.holder;

	if (!fact_held_counts(held) && !drawing->missed[held - drawing->facts->helds])
		return;
	add_span(drawing, draw_thread(drawing, fork->at.by, holder, begin), kind, begin, end,
		 text_format("%s, taken before this fork", lock_name(drawing, &lock)));
	if (!child || held->repaired || holder == fork->at.tid || !fact_how_copies(fork->ev.how))
		return;
	add_span(drawing, draw_thread(drawing, fork->child, child->pid, child->birth_ns), kind,
		 child->birth_ns, draw_end_ns(drawing, fork->child),
		 text_format(
			 "%s, copied while locked: its owner, thread %u, exists only in the parent",
			 lock_name(drawing, &lock), holder));
}

/* A semaphore counts as a lock once a thread waits for it in vain. */
static void find_missed(struct drawing *drawing)
{
	const struct facts *facts = drawing->facts;

	drawing->missed = memory_get(facts->held_count + 1);
	for (uint32_t i = 0; i < facts->wait_count; i++)
		if (facts->waits[i].held != FACT_NONE)
			drawing->missed[facts->waits[i].held] = true;
	for (uint32_t i = 0; i < facts->unlock_count; i++)
		if (facts->unlocks[i].held != FACT_NONE)
			drawing->missed[facts->unlocks[i].held] = true;
}

static void draw_holds(struct drawing *drawing)
{
	find_missed(drawing);
	for (uint32_t i = 0; i < drawing->facts->fork_count; i++) {
		const struct fact_fork *fork = &drawing->facts->forks[i];

		for (uint32_t k = fork->held_begin; k < fork->held_end; k++)
			if (fact_held_at(drawing->facts, k, i))
				draw_hold(drawing, fork, &drawing->facts->helds[k]);
	}
	free(drawing->missed);
}

void draw_spans(struct drawing *drawing)
{
	draw_waits(drawing);
	draw_blocked(drawing);
	draw_holds(drawing);
}
