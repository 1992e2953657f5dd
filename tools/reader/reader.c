/* SPDX-License-Identifier: Apache-2.0 */
/* Polls the logs and processes of a session, and collects facts. */
#include "reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../base/index_map.h"
#include "../proc/proc.h"
#include "collect.h"
#include "collect_cuda.h"
#include "collect_shm.h"
#include "page_release.h"

#define GAP_PATIENCE_NS 200000000ull /* for an unfinished record */
#define TRIM_TRIGGERS 1024u
#define LIVENESS_NS 50000000ull /* between two checks of living processes */

char *reader_open(struct reader *reader, const char *dir, bool writable)
{
	char *wrong;

	memset(reader, 0, sizeof(*reader));
	reader->watch_fd = -1;
	wrong = session_open(&reader->session, dir, writable);
	if (wrong)
		return wrong;
	reader->logs = memory_get((reader->session.slots + 1) * sizeof(*reader->logs));
	reader->log_failed = memory_get(reader->session.slots * sizeof(*reader->log_failed));
	reader->reading = memory_get(reader->session.slots * sizeof(*reader->reading));
	reader->processes = memory_get(reader->session.slots * sizeof(*reader->processes));
	reader->last_module = memory_get(reader->session.slots * sizeof(*reader->last_module));
	reader->last_late = memory_get(reader->session.slots * sizeof(*reader->last_late));
	for (uint32_t i = 0; i < reader->session.slots; i++) {
		reader->processes[i].slot = &reader->session.table[i];
		reader->last_module[i] = reader->last_late[i] = FACT_NONE;
	}
	reader->followed = memory_get(reader->session.slots * sizeof(*reader->followed));
	pidfd_poll_init(&reader->pidfds, &reader->session);
	reader->known = memory_get(reader->session.slots * sizeof(*reader->known));
	reader->places = index_map_create();
	reader->cuda = cuda_store_create();
	reader->shm = shm_store_create();
	return NULL;
}

void reader_close(struct reader *reader)
{
	for (uint32_t i = 0; i <= reader->session.slots && reader->logs; i++) {
		if (reader->logs[i])
			logfile_close(reader->logs[i]);
		free(reader->logs[i]);
	}
	free(reader->logs);
	free(reader->log_failed);
	free(reader->reading);
	free(reader->processes);
	free(reader->last_module);
	free(reader->last_late);
	free(reader->known);
	free(reader->followed);
	pidfd_poll_finish(&reader->pidfds);
	free(reader->used.item);
	merge_finish(&reader->merge);
	free(reader->forks.item);
	free(reader->helds.item);
	free(reader->waits.item);
	free(reader->unlocks.item);
	free(reader->blockeds.item);
	free(reader->deadlocks.item);
	free(reader->orders.item);
	free(reader->orders_live.item);
	free(reader->lefts.item);
	free(reader->events.item);
	free(reader->modules.item);
	free(reader->names.item);
	free(reader->threads.item);
	free(reader->thread_names.item);
	free(reader->limits.item);
	free(reader->shares.item);
	free(reader->comms.item);
	free(reader->open.item);
	free(reader->ready.item);
	index_map_destroy(reader->places);
	cuda_store_destroy(reader->cuda);
	shm_store_destroy(reader->shm);
	session_close(&reader->session);
	memset(reader, 0, sizeof(*reader));
}

static void mention(struct reader *reader, uint64_t time_ns)
{
	if (time_ns > reader->last_ns)
		reader->last_ns = time_ns;
}

/* The supervisor's log has the number after all slots. */
static void open_watch_log(struct reader *reader)
{
	struct logfile *log = memory_get(sizeof(*log));
	uint32_t slot = reader->session.slots;

	if (!reader->logs[slot] &&
	    (reader->watch_fd < 0 ? logfile_open(log, reader->session.dirfd, slot) :
				    logfile_open_at(log, reader->watch_fd, slot)))
		reader->logs[slot] = log;
	else
		free(log);
}

static void open_log(struct reader *reader, uint32_t slot)
{
	struct logfile *log;

	if (reader->logs[slot] || reader->log_failed[slot] ||
	    !(reader->session.table[slot].flags & MPSAN_PROCESS_LOG))
		return;
	log = memory_get(sizeof(*log));
	if (logfile_open(log, reader->session.dirfd, slot)) {
		reader->logs[slot] = log;
		return;
	}
	reader->log_failed[slot] = errno != ENOENT && reader->over;
	reader->lacks_memory |= log->lacks_memory;
	free(log);
}

/* Copies a slot. It may be claimed before it is filled in, so this is repeated at each poll. */
static void read_slot(struct reader *reader, uint32_t slot)
{
	const struct mpsan_process *from = &reader->session.table[slot];
	struct fact_process *process = &reader->processes[slot];

	if (!process->exec_ns && from->exec_ns)
		process->exec_ns = from->exec_ns;
	if (!process->gone && from->end_ns) {
		process->gone = true;
		process->gone_ns = from->end_ns;
	}
	fact_child_enter(reader->processes, reader->session.slots, slot);
	mention(reader, from->birth_ns);
	mention(reader, from->exec_ns);
	mention(reader, from->attach_ns);
	mention(reader, from->end_ns);
	open_log(reader, slot);
}

static int compare_births(const void *one, const void *other, void *context)
{
	const struct mpsan_process *table = context;
	uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)other;

	if (table[a].birth_ns != table[b].birth_ns)
		return table[a].birth_ns < table[b].birth_ns ? -1 : 1;
	return a < b ? -1 : a > b;
}

/* Where used slots end. Before format 3 they could be anywhere in the table. */
static uint32_t slots_end(struct reader *reader)
{
	const struct mpsan_session *head = reader->session.head;
	uint64_t claimed = __atomic_load_n(&head->claimed, __ATOMIC_ACQUIRE);
	uint32_t there = session_there(&reader->session);

	return head->format > 2 && claimed < there ? (uint32_t)claimed : there;
}

/* A slot that is free below one that is used may be that of a child about to be born. */
static void find_slots(struct reader *reader)
{
	uint32_t before = reader->used.count, end = slots_end(reader);

	for (uint32_t slot = reader->all_known; slot < end; slot++) {
		if (reader->known[slot] ||
		    !__atomic_load_n(&reader->session.table[slot].pid, __ATOMIC_ACQUIRE))
			continue;
		reader->known[slot] = true;
		*ARRAY_ADD(&reader->used) = slot;
		*ARRAY_ADD(&reader->open) = (struct trigger){TRIGGER_ENDED, slot};
	}
	while (reader->all_known < end && reader->known[reader->all_known])
		reader->all_known++;
	if (reader->used.count && (before != reader->used.count || reader->over))
		qsort_r(reader->used.item, reader->used.count, sizeof(uint32_t), compare_births,
			reader->session.table);
}

static void read_slots(struct reader *reader)
{
	find_slots(reader);
	READER_EACH_SLOT(reader, slot)
		read_slot(reader, slot);
}

/* Records the end of a process that did not do so itself, so that a later report agrees. */
static void mark_gone(struct reader *reader, uint32_t slot, uint64_t now)
{
	struct fact_process *process = &reader->processes[slot];
	uint64_t unset = 0;

	process->gone = true;
	process->gone_ns = now;
	if (reader->session.writable &&
	    !__atomic_compare_exchange_n(&reader->session.table[slot].end_ns, &unset, now, false,
					 __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		process->gone_ns = unset;
}

static void take_gone(uint32_t slot, void *context)
{
	struct reader *reader = context;

	if (!reader->processes[slot].gone)
		mark_gone(reader, slot, reader->liveness_ns);
}

static void check_liveness(struct reader *reader, uint64_t now)
{
	if (now < reader->liveness_ns + LIVENESS_NS || !reader->session.here)
		return;
	reader->liveness_ns = now;
	READER_EACH_SLOT(reader, slot) {
		if (reader->followed[slot] || !reader->session.table[slot].pid ||
		    !reader->session.table[slot].birth_ns || reader->processes[slot].gone)
			continue;
		reader->followed[slot] = true;
		pidfd_poll_add(&reader->pidfds, slot);
	}
	pidfd_poll_look(&reader->pidfds, take_gone, reader);
}

static void read_log(struct reader *reader, uint32_t slot, uint64_t now, uint64_t patience_ns)
{
	struct logfile *log = reader->logs[slot];
	struct record record;

	if (!log)
		return;
	logfile_refresh(log, reader->session.dirfd);
	merge_log(&reader->merge, log);
	while (logfile_next(log, now, patience_ns, &record)) {
		if (record.by < reader->session.slots)
			merge_add(&reader->merge, &record);
		reader_trim_at(reader, reader->merge.places.count);
	}
	if (slot < reader->session.slots)
		reader->processes[slot].lossy = logfile_head(log)->dropped;
}

static void read_logs(struct reader *reader, uint64_t now)
{
	struct record record;

	merge_clear(&reader->merge);
	reading_begin(reader, now);
	READER_EACH_SLOT(reader, slot)
		if (reader->reading[slot] <= READING_LAST)
			read_log(reader, slot, now,
				 reader->over || reader->processes[slot].gone ? 0 :
										GAP_PATIENCE_NS);
	reading_end(reader);
	open_watch_log(reader);
	read_log(reader, reader->session.slots, now, 0);
	reader->acts_known = reader->events.count;
	merge_begin(&reader->merge);
	for (uint32_t i = 1; merge_next(&reader->merge, &record); i++) {
		mention(reader, record.time_ns);
		collect_record(reader, &record);
		reader_trim_at(reader, i);
	}
	merge_clear(&reader->merge);
}

/* After reading the logs: checks whether processes that share device memory have begun to exit. */
static void see_living(struct reader *reader, uint64_t now)
{
	if (reader->liveness_ns != now)
		return;
	READER_EACH_SLOT(reader, slot)
		if (reader->followed[slot] && !reader->processes[slot].gone &&
		    !(cuda_shares(reader, slot) &&
		      proc_leaves(session_pid(&reader->session, slot))))
			reader->processes[slot].seen_ns = now;
}

static int compare_pending(const void *one, const void *other)
{
	const struct pending *a = one, *b = other;

	if (a->due_ns != b->due_ns)
		return a->due_ns < b->due_ns ? -1 : 1;
	if (a->slot != b->slot)
		return a->slot < b->slot ? -1 : 1;
	return a->pos < b->pos ? -1 : a->pos > b->pos;
}

struct fact_place reader_event_place(const struct reader *reader, const struct fact_event *event)
{
	const uint8_t *record = (const uint8_t *)event_record(event);

	return (struct fact_place){.slot = event->slot,
				   .by = event->by,
				   .tid = event_tid(event),
				   .pos = (uint64_t)(record - reader->logs[event->slot]->map),
				   .time_ns = event_time(event)};
}

static struct fact_place trigger_place(const struct reader *reader, const struct trigger *trigger)
{
	struct fact_place place;

	if (cuda_trigger_place(reader, trigger, &place))
		return place;
	switch (trigger->kind) {
	case TRIGGER_FORK:
		return reader->forks.item[trigger->index].at;
	case TRIGGER_WAIT:
		return reader->waits.item[trigger->index].at;
	case TRIGGER_DEADLOCK:
		return reader->deadlocks.item[trigger->index].at;
	case TRIGGER_ORDER:
		return reader->orders.item[trigger->index].at;
	case TRIGGER_KEPT_LOCK:
		return reader->lefts.item[trigger->index].at;
	case TRIGGER_EVENT:
		return reader_event_place(reader, &reader->events.item[trigger->index]);
	case TRIGGER_ENDED:
		return (struct fact_place){.slot = trigger->index,
					   .by = trigger->index,
					   .time_ns = reader->processes[trigger->index].gone_ns};
	case TRIGGER_CLOSE:
		return (struct fact_place){.slot = UINT32_MAX};
	default:
		break;
	}
	return reader->unlocks.item[trigger->index].at;
}

static void publish_facts(struct reader *reader, uint64_t now)
{
	reader->now_ns = now;
	reader->facts = (struct facts){
		.now_ns = now,
		.processes = reader->processes,
		.process_count = reader->session.slots,
		.forks = reader->forks.item,
		.fork_count = reader->forks.count,
		.helds = reader->helds.item,
		.held_count = reader->helds.count,
		.waits = reader->waits.item,
		.wait_count = reader->waits.count,
		.unlocks = reader->unlocks.item,
		.unlock_count = reader->unlocks.count,
		.blockeds = reader->blockeds.item,
		.blocked_count = reader->blockeds.count,
		.deadlocks = reader->deadlocks.item,
		.deadlock_count = reader->deadlocks.count,
		.orders = reader->orders.item,
		.order_count = reader->orders.count,
		.order_lists = reader->order_lists,
		.threads = reader->threads.item,
		.thread_count = reader->threads.count,
		.lefts = reader->lefts.item,
		.left_count = reader->lefts.count,
		.events = reader->events.item,
		.event_count = reader->events.count,
	};
	cuda_publish(reader, &reader->facts);
	shm_publish(reader, &reader->facts);
}

/* What happened while the supervisor killed the job (--on-deadlock=kill) is no finding. */
static bool is_cut_off(const struct reader *reader, const struct fact_place *at)
{
	return reader->cut_ns && at->time_ns > reader->cut_ns && at->slot != reader->session.slots;
}

static void time_triggers(struct reader *reader, uint64_t now)
{
	uint32_t kept = 0;

	if (reader->ready_next == reader->ready.count)
		reader->ready_next = reader->ready.count = 0;
	for (uint32_t i = 0; i < reader->open.count; i++) {
		struct trigger trigger = reader->open.item[i];
		struct fact_place at = trigger_place(reader, &trigger);
		uint64_t due_ns = 0;

		if (!((i + 1) % TRIM_TRIGGERS))
			reader_trim(reader);
		if (is_cut_off(reader, &at))
			continue;
		switch (trigger_timing(reader, &trigger, now, &due_ns)) {
		case TIMING_COME:
			*ARRAY_ADD(&reader->ready) =
				(struct pending){due_ns, trigger, at.slot, at.pos};
			break;
		case TIMING_OPEN:
			reader->open.item[kept++] = trigger;
			break;
		case TIMING_NEVER:
			break;
		}
	}
	reader->open.count = kept;
	if (reader->ready.count > reader->ready_next)
		qsort(reader->ready.item + reader->ready_next,
		      reader->ready.count - reader->ready_next, sizeof(struct pending),
		      compare_pending);
}

void reader_read(struct reader *reader)
{
	read_slots(reader);
	read_logs(reader, 0);
	publish_facts(reader, 0); /* process names and roles are read from facts */
}

void reader_poll(struct reader *reader, uint64_t now)
{
	session_make_room(&reader->session);
	read_slots(reader);
	check_liveness(reader, now);
	read_logs(reader, now);
	see_living(reader, now);
	collect_settled(reader, now);
	collect_cuda_due(reader, now);
	collect_shm_due(reader, now);
	publish_facts(reader, now);
	collect_links(reader);
	time_triggers(reader, now);
}

void reader_finish(struct reader *reader, uint64_t now)
{
	reader->over = true;
	reader->liveness_ns = 0; /* check now */
	read_slots(reader);
	check_liveness(reader, now);
	read_logs(reader, now);
	see_living(reader, now);
	READER_EACH_SLOT(reader, slot) {
		struct fact_process *process = &reader->processes[slot];

		if (!process->gone) {
			process->gone = process->stayed = true;
			process->gone_ns = now;
		}
	}
	collect_settled(reader, now);
	collect_cuda_due(reader, now);
	collect_shm_due(reader, now);
	*ARRAY_ADD(&reader->open) = (struct trigger){TRIGGER_CLOSE, 0};
	publish_facts(reader, now);
	collect_links(reader);
	time_triggers(reader, now);
}

uint64_t reader_end_ns(const struct reader *reader)
{
	if (reader->session.head->end_ns)
		return reader->session.head->end_ns;
	READER_EACH_SLOT(reader, slot)
		if (reader->session.table[slot].pid && !reader->session.table[slot].end_ns &&
		    session_liveness(&reader->session, slot) != GONE)
			return 0;
	return reader->session.head->seen_ns > reader->last_ns ? reader->session.head->seen_ns :
								 reader->last_ns;
}

bool reader_has_open_wait(const struct reader *reader)
{
	for (uint32_t i = 0; i < reader->open.count; i++)
		if (reader->open.item[i].kind == TRIGGER_WAIT)
			return true;
	return false;
}

bool reader_next_trigger(struct reader *reader, struct trigger *trigger)
{
	const struct pending *next;

	if (reader->ready_next >= reader->ready.count)
		return false;
	next = &reader->ready.item[reader->ready_next++];
	if (next->trigger.kind == TRIGGER_ENDED || !(reader->ready_next % TRIM_TRIGGERS))
		reader_trim(reader); /* all that a process did is examined when it ends */
	reader->facts.now_ns = next->due_ns;
	*trigger = next->trigger;
	return true;
}
