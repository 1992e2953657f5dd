/* SPDX-License-Identifier: Apache-2.0 */
/* Sorts records into the reader's arrays and relates them. */
#include "collect.h"

#include <string.h>

#include "../../include/mpsan_comm.h"
#include "../base/index_map.h"
#include "../base/progress.h"
#include "../facts/pyframe.h"
#include "../proc/roots.h"
#include "collect_cuda.h"
#include "collect_shm.h"
#include "threads.h"

/* A fork that found the same holds as an earlier one refers to that one's list. */
static void share_list(struct reader *reader, struct fact_fork *fork)
{
	uint32_t earlier = fork->ev.held_by ?
				   reader_find(reader, fork->at.slot, fork->ev.held_by, EV_fork) :
				   FACT_NONE;

	if (earlier == FACT_NONE)
		return;
	fork->list = reader->forks.item[earlier].list;
	fork->held_begin = reader->forks.item[earlier].held_begin;
	fork->held_end = reader->forks.item[earlier].held_end;
}

static void collect_fork(struct reader *reader, const struct record *record)
{
	struct fact_fork *fork = ARRAY_ADD(&reader->forks);

	*fork = (struct fact_fork){.at = reader_place(record),
				   .child = FACT_NONE,
				   .late = reader->last_late[record->by]};
	memcpy(&fork->ev, record->payload, sizeof(fork->ev));
	fork->by_pool = pyframe_among(reader_text(reader, record->slot, fork->ev.python),
				      "_handle_workers", "multiprocessing/pool.py");
	if (record->tid != reader->session.table[record->by].pid && fact_how_copies(fork->ev.how))
		reader->last_late[record->by] = reader->forks.count - 1;
	fork->list = reader->forks.count - 1;
	share_list(reader, fork);
	index_map_add(reader->places, record->slot, record->pos, EV_fork, reader->forks.count - 1);
	reader_await(reader, TRIGGER_FORK, reader->forks.count - 1);
}

static void collect_held(struct reader *reader, const struct record *record)
{
	struct fact_held *held = ARRAY_ADD(&reader->helds);

	*held = (struct fact_held){.at = reader_place(record), .fork = FACT_NONE};
	memcpy(&held->ev, record->payload, sizeof(held->ev));
	index_map_add(reader->places, record->slot, record->pos, EV_held, reader->helds.count - 1);
}

/* Copies an event; what an older version wrote lacks the last fields, which stay 0. */
static void copy_event(void *event, size_t bytes, const struct record *record)
{
	memcpy(event, record->payload, record->bytes < bytes ? record->bytes : bytes);
}

static void collect_wait(struct reader *reader, const struct record *record)
{
	struct fact_wait *wait = ARRAY_ADD(&reader->waits);

	*wait = (struct fact_wait){.at = reader_place(record), .held = FACT_NONE};
	copy_event(&wait->ev, sizeof(wait->ev), record);
	index_map_add(reader->places, record->slot, record->pos, EV_wait, reader->waits.count - 1);
	reader_await(reader, TRIGGER_WAIT, reader->waits.count - 1);
}

static void collect_wait_end(struct reader *reader, const struct record *record)
{
	const struct ev_wait_end *end = record->payload;
	uint32_t index = reader_find(reader, record->slot, end->wait, EV_wait);

	if (index == FACT_NONE)
		return;
	reader->waits.item[index].end_ns = record->time_ns;
	reader->waits.item[index].result = end->result;
}

static void collect_unlock_failed(struct reader *reader, const struct record *record)
{
	struct fact_unlock *unlock = ARRAY_ADD(&reader->unlocks);

	*unlock = (struct fact_unlock){.at = reader_place(record), .held = FACT_NONE};
	memcpy(&unlock->ev, record->payload, sizeof(unlock->ev));
	reader_await(reader, TRIGGER_UNLOCK, reader->unlocks.count - 1);
}

/* The blocked threads of a deadlock immediately precede it, in its log and so in time order. */
static void collect_blocked(struct reader *reader, const struct record *record)
{
	struct fact_blocked *blocked = ARRAY_ADD(&reader->blockeds);

	*blocked = (struct fact_blocked){.at = reader_place(record)};
	copy_event(&blocked->ev, sizeof(blocked->ev), record);
	if (blocked->ev.python)
		blocked->frames =
			awaited_of(reader_text(reader, blocked->at.slot, blocked->ev.python));
	if (blocked->ev.name && record->tid)
		threads_named(reader, &blocked->at, blocked->ev.name);
}

static void collect_deadlock(struct reader *reader, const struct record *record)
{
	struct fact_deadlock *deadlock = ARRAY_ADD(&reader->deadlocks);

	*deadlock = (struct fact_deadlock){.at = reader_place(record),
					   .end = reader->blockeds.count,
					   .until_ns = record->time_ns};
	memcpy(&deadlock->ev, record->payload, sizeof(deadlock->ev));
	deadlock->begin = deadlock->ev.count < deadlock->end ?
				  deadlock->end - (uint32_t)deadlock->ev.count :
				  0;
	index_map_add(reader->places, record->slot, record->pos, EV_deadlock,
		      reader->deadlocks.count - 1);
	reader_await(reader, TRIGGER_DEADLOCK, reader->deadlocks.count - 1);
}

static void collect_deadlock_over(struct reader *reader, const struct record *record)
{
	struct ev_deadlock_over ev;
	uint32_t index;

	memcpy(&ev, record->payload, sizeof(ev));
	index = reader_find(reader, record->slot, ev.deadlock, EV_deadlock);
	if (index != FACT_NONE)
		reader->deadlocks.item[index].over_ns = record->time_ns;
}

static void collect_order(struct reader *reader, const struct record *record)
{
	struct fact_order *order = ARRAY_ADD(&reader->orders);

	*order = (struct fact_order){.at = reader_place(record)};
	memcpy(&order->ev, record->payload, sizeof(order->ev));
	fact_order_enter(reader->orders.item, reader->order_lists, reader->orders.count - 1);
	*ARRAY_ADD(&reader->orders_live) = reader->orders.count - 1;
	reader_await(reader, TRIGGER_ORDER, reader->orders.count - 1);
}

static void collect_shared_lock(struct reader *reader, const struct record *record)
{
	*ARRAY_ADD(&reader->shares) = (struct seen_share){
		reader_place(record), *(const struct ev_shared_lock *)record->payload, false};
}

static void collect_lock_gone(struct reader *reader, const struct record *record)
{
	const struct ev_lock_gone *gone = record->payload;
	uint32_t kept = 0;

	*ARRAY_ADD(&reader->shares) =
		(struct seen_share){reader_place(record), {.lock = gone->lock}, true};
	for (uint32_t i = 0; i < reader->orders_live.count; i++) {
		uint32_t index = reader->orders_live.item[i];
		struct fact_order *order = &reader->orders.item[index];

		if (order->at.by == record->by &&
		    (order->ev.first == gone->lock || order->ev.second == gone->lock))
			order->over = reader->orders.count;
		else
			reader->orders_live.item[kept++] = index;
	}
	reader->orders_live.count = kept;
}

static void collect_left_locked(struct reader *reader, const struct record *record)
{
	struct fact_left *left = ARRAY_ADD(&reader->lefts);

	*left = (struct fact_left){.at = reader_place(record)};
	memcpy(&left->ev, record->payload, sizeof(left->ev));
	left->fork = reader_find(reader, record->slot, left->ev.fork, EV_fork);
	reader_await(reader, TRIGGER_KEPT_LOCK, reader->lefts.count - 1);
}

/* Keeps the first exec of a process: its slot has only the last one. */
static void collect_exec(struct reader *reader, const struct record *record)
{
	struct fact_process *process = &reader->processes[record->by];

	if (!process->exec_ns || record->time_ns < process->exec_ns)
		process->exec_ns = record->time_ns;
}

static void collect_name(struct reader *reader, const struct record *record)
{
	const struct ev_lock_name *ev = record->payload;

	*ARRAY_ADD(&reader->names) = (struct seen_name){reader_place(record), ev->lock, ev->name};
}

static void collect_module(struct reader *reader, const struct record *record)
{
	struct seen_module *module = ARRAY_ADD(&reader->modules);

	*module = (struct seen_module){.at = reader_place(record),
				       .previous = reader->last_module[record->by]};
	memcpy(&module->ev, record->payload, sizeof(module->ev));
	reader->last_module[record->by] = reader->modules.count - 1;
}

static void collect_last_seen(struct reader *reader, const struct record *record)
{
	struct fact_process *process = &reader->processes[record->by];
	struct ev_last_seen ev;

	memcpy(&ev, record->payload, sizeof(ev));
	if (process->seen_ns < ev.seen)
		process->seen_ns = ev.seen;
}

static void collect_seen_as(struct reader *reader, const struct record *record)
{
	struct ev_seen_as ev;

	memcpy(&ev, record->payload, sizeof(ev));
	reader->processes[record->by].outer_pid = (uint32_t)ev.pid;
	if (ev.apart)
		roots_tell_apart(reader->session.roots, record->by);
}

/* Whether an event carries all its facts, and triggers rules. */
#define KEPT_IF_WHOLE(name, what)                                                \
	_Static_assert(EV_##name >= EVENT_FACT_FIRST, #name);                    \
	_Static_assert(sizeof(struct ev_##name) <= 8 * EVENT_FACT_WORDS, #name); \
	case EV_##name:                                                          \
		return record->bytes >= sizeof(struct ev_##name) ? (what) : EVENT_COLLECTED;
#define USE_TRIGGERS(name) KEPT_IF_WHOLE(name, EVENT_TRIGGERS)
#define USE_KEPT(name) KEPT_IF_WHOLE(name, EVENT_KEPT)
#define USE_COLLECTED(name)
#define EVENT(name, use, meaning, fields) USE_##use(name)
#define BLOB(name, meaning)

static enum { EVENT_COLLECTED, EVENT_KEPT, EVENT_TRIGGERS } event_use(const struct record *record)
{
	switch (record->type) {
#include "../../include/mpsan_events.def"
	default:
		return EVENT_COLLECTED;
	}
}

#undef EVENT
#undef BLOB

static void collect_event(struct reader *reader, const struct record *record, bool told)
{
	struct fact_event *event = ARRAY_ADD(&reader->events);
	uint32_t *newest = &reader->processes[record->by].event[event_fact_number(record->type)];

	*event = (struct fact_event){.record = (uintptr_t)record->payload -
					       sizeof(struct mpsan_record),
				     .by = (uint16_t)record->by,
				     .before = *newest,
				     .slot = (uint16_t)record->slot,
				     .type = record->type};
	*newest = reader->events.count;
	if (reader->over && record->later & MPSAN_LATER_FAILED)
		event->type = EV_none;
	if (record->type == EV_killed && record->slot == reader->session.slots && !reader->cut_ns)
		reader->cut_ns = record->time_ns;
	collect_shm(reader);
	if (told)
		reader_await(reader, TRIGGER_EVENT, reader->events.count - 1);
}

/*
 * Retracted events stay in the array without a type. Once a session is over, those just read are without one
 * already.
 */
void collect_settled(struct reader *reader, uint64_t now)
{
	uint32_t end = reader->over ? reader->acts_known : reader->events.count;

	while (reader->acts_settled < end) {
		struct fact_event *event = &reader->events.item[reader->acts_settled];

		if (!reader->over && event_time(event) + EVENT_SETTLE_NS > now)
			break;
		if (event_later(event) & MPSAN_LATER_FAILED)
			event->type = EV_none;
		reader->acts_settled++;
	}
	if (reader->over)
		reader->acts_settled = reader->events.count;
}

void collect_record(struct reader *reader, const struct record *record)
{
	/*
	 * The smallest payload, 32 bytes, is shorter than some events: a record cut short is no
	 * event.
	 */
	progress_step(sizeof(struct mpsan_record) + record->bytes);
#define TAKES(event) (record->type == EV_##event && record->bytes >= sizeof(struct ev_##event))
#define TAKES_BEFORE(event, field) \
	(record->type == EV_##event && record->bytes >= offsetof(struct ev_##event, field))
	if (TAKES(fork))
		collect_fork(reader, record);
	else if (TAKES(held))
		collect_held(reader, record);
	else if (TAKES_BEFORE(wait, raised))
		collect_wait(reader, record);
	else if (TAKES(wait_end))
		collect_wait_end(reader, record);
	else if (TAKES(unlock_failed))
		collect_unlock_failed(reader, record);
	else if (TAKES(exec))
		collect_exec(reader, record);
	else if (TAKES(lock_name))
		collect_name(reader, record);
	else if (TAKES(module))
		collect_module(reader, record);
	else if (TAKES(last_seen))
		collect_last_seen(reader, record);
	else if (TAKES(seen_as))
		collect_seen_as(reader, record);
	else if (TAKES_BEFORE(blocked, raised))
		collect_blocked(reader, record);
	else if (TAKES(deadlock))
		collect_deadlock(reader, record);
	else if (TAKES(deadlock_over))
		collect_deadlock_over(reader, record);
	else if (TAKES(order))
		collect_order(reader, record);
	else if (TAKES(lock_gone))
		collect_lock_gone(reader, record);
	else if (TAKES(shared_lock))
		collect_shared_lock(reader, record);
	else if (TAKES(left_locked))
		collect_left_locked(reader, record);
	else if (collect_cuda(reader, record))
		return;
	else if (event_use(record) != EVENT_COLLECTED)
		collect_event(reader, record, event_use(record) == EVENT_TRIGGERS);
	else if (threads_collect(reader, record))
		return;
	else if (record->type == EV_comm && record->bytes >= sizeof(struct mpsan_comm))
		*ARRAY_ADD(&reader->comms) = reader_place(record);
	else if (TAKES(limit))
		*ARRAY_ADD(&reader->limits) = (struct seen_limit){
			reader_place(record), *(const struct ev_limit *)record->payload};
#undef TAKES
#undef TAKES_BEFORE
}

static void link_held(struct reader *reader, uint32_t index)
{
	struct fact_held *held = &reader->helds.item[index];
	struct fact_fork *fork;

	held->fork = reader_find(reader, held->at.slot, held->ev.fork, EV_fork);
	if (held->fork == FACT_NONE)
		return;
	fork = &reader->forks.item[held->fork];
	if (!fork->held_end || index < fork->held_begin)
		fork->held_begin = index;
	if (index >= fork->held_end)
		fork->held_end = index + 1;
}

static void link_helds(struct reader *reader)
{
	bool all = true;

	for (uint32_t i = reader->helds_linked; i < reader->helds.count; i++) {
		if (reader->helds.item[i].fork == FACT_NONE)
			link_held(reader, i);
		all = all && reader->helds.item[i].fork != FACT_NONE;
		if (all)
			reader->helds_linked = i + 1;
	}
}

static void link_children(struct reader *reader)
{
	READER_EACH_SLOT(reader, slot) {
		const struct mpsan_process *child = &reader->session.table[slot];
		uint32_t fork;

		if (!child->pid || !child->parent || !child->fork_pos)
			continue;
		fork = reader_find(reader, session_fork_log(&reader->session, child),
				   child->fork_pos, EV_fork);
		if (fork != FACT_NONE && child->birth_ns)
			reader->forks.item[fork].child = slot;
	}
}

void collect_links(struct reader *reader)
{
	link_helds(reader);
	link_children(reader);
}
