/* See knots.h. */
#include "knots.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "blindness.h"
#include "../proc/calls.h"
#include "idle.h"
#include "left.h"
#include "pythreads.h"

#define LOOK_NS 250000000ull /* between two looks, at least */
#define LOOK_MAX_NS 900000000ull /* and at most, beside however many threads */
#define SHARE 150u /* a look takes at most one part in this many of the time */
#define TOLD_MAX 24u /* threads stated of one knot */

void knots_init(struct knots *knots, const struct reader *reader, uint64_t hang_after_ns)
{
	*knots = (struct knots){.reader = reader, .hang_after_ns = hang_after_ns};
	census_init(&knots->census, reader);
	losses_init(&knots->losses, reader);
	watchlog_open(&knots->log, reader);
}

void knots_finish(struct knots *knots)
{
	losses_finish(&knots->losses);
	census_finish(&knots->census);
	waits_finish(&knots->waits);
	graph_finish(&knots->graph);
	watchlog_close(&knots->log);
}

static struct census_thread *thread_at(struct knots *knots, uint32_t index)
{
	return &knots->census.threads.item[index];
}

/* ---- what the library has proved by itself needs no second proof ---- */

static void mark_explained(struct knots *knots)
{
	const struct reader *reader = knots->reader;

	for (uint32_t i = 0; i < reader->waits.count; i++) {
		const struct fact_wait *wait = &reader->waits.item[i];
		uint32_t index;

		if (wait->end_ns || !mpsan_wait_is_proof(&wait->ev))
			continue;
		index = census_find(&knots->census, wait->at.by, wait->at.tid);
		if (index != CENSUS_NONE)
			thread_at(knots, index)->told = true;
	}
}

/* ---- one thread ---- */

/* Who has it, and where that one took it. */
static void state_owner(struct knots *knots, uint32_t index, struct ev_blocked *event)
{
	const struct wait *wait = &knots->waits.item.item[index];
	uint32_t first = wait->count ? knots->waits.who.item[wait->begin] : CENSUS_NONE,
		 by = knots->graph.next[index];
	struct mpsan_hold hold;

	if (by == GRAPH_NONE)
		by = wait->end == WAIT_OWNERS ? first : wait->holder;
	event->taken = wait->taken;
	event->taken_slot = wait->gone_slot;
	if (by != CENSUS_NONE) {
		const struct census_thread *owner = thread_at(knots, by);

		event->owner_slot = owner->slot + 1;
		event->owner = owner->tid;
		if (census_holds(owner, wait->lock, &hold)) {
			event->taken = hold.caller;
			event->taken_slot = owner->slot + 1;
		}
	} else if (wait->end == WAIT_NOBODY) {
		event->owner = wait->gone;
		event->owner_slot = wait->gone_slot;
	} else if (wait->end == WAIT_PROCESSES && wait->count == 1) {
		event->owner_slot = knots->census.processes.item[first].slot + 1;
	}
}

static uint64_t state_python(struct knots *knots, const struct census_thread *thread)
{
	char *text = pythread_stack(thread);
	uint64_t position = *text ? watchlog_text(&knots->log, thread->slot, text) : 0;

	free(text);
	return position;
}

static uint64_t state_name(struct knots *knots, const struct census_thread *thread)
{
	char *text = pythread_name(thread);
	uint64_t position = *text ? watchlog_text(&knots->log, thread->slot, text) : 0;

	free(text);
	return position;
}

static uint64_t state_thread(struct knots *knots, uint32_t index, uint64_t flags)
{
	const struct census_thread *thread = thread_at(knots, index);
	const struct wait *wait = &knots->waits.item.item[index];
	struct ev_blocked event = {
		.lock = wait->lock,
		.kind = wait->kind,
		.flags = wait->flags | flags,
		.since = thread->still_ns,
		.caller = wait->caller,
		.stack = watchlog_stack(&knots->log, thread),
		.python = state_python(knots, thread),
		.name = state_name(knots, thread),
	};
	char *call = call_text(thread->pid, &thread->call);

	/* The interpreter's own calls: what it waits for is a lock of the Python program. */
	if (pythread_is_code(thread->pid, wait->caller))
		event.flags |= MPSAN_LF_PYTHON;
	event.detail = watchlog_text(&knots->log, thread->slot, call);
	free(call);
	state_owner(knots, index, &event);
	thread_at(knots, index)->told = true;
	return watchlog_put(&knots->log, EV_blocked, thread->slot, thread->tid, &event,
			    sizeof(event));
}

/* ---- knots ---- */

/* A knot on its way into the log. */
struct telling {
	uint64_t first; /* position of its first thread */
	uint32_t count;
	uint32_t slot, tid; /* of that one */
};

static void tell(struct knots *knots, struct telling *telling, uint32_t index, uint64_t flags)
{
	uint64_t position;

	if (telling->count >= TOLD_MAX) {
		thread_at(knots, index)->told = true;
		return;
	}
	position = state_thread(knots, index, flags);
	if (!telling->count++) {
		telling->first = position;
		telling->slot = thread_at(knots, index)->slot;
		telling->tid = thread_at(knots, index)->tid;
	}
}

static void close_knot(struct knots *knots, const struct telling *telling,
		       enum mpsan_knot_cause cause, uint32_t dead_slot, const char *detail)
{
	struct ev_knot event = {.cause = cause,
				.first = telling->first,
				.count = telling->count,
				.dead_slot = dead_slot,
				.detail = watchlog_text(&knots->log, telling->slot, detail)};

	watchlog_put(&knots->log, EV_knot, telling->slot, telling->tid, &event, sizeof(event));
}

/* The rest of a group, those first who wait for others to end: they are who is missed. */
static void tell_group(struct knots *knots, struct telling *telling, uint32_t group)
{
	for (int others = 0; others < 2; others++)
		for (uint32_t i = 0; i < knots->graph.count; i++)
			if (knots->graph.group[i] == group && !thread_at(knots, i)->told &&
			    (others || knots->waits.item.item[i].kind == MPSAN_WAIT_PROCESS))
				tell(knots, telling, i, 0);
}

static void state_cycle(struct knots *knots, uint32_t head)
{
	struct telling telling = {0};
	uint32_t at = head;

	do {
		tell(knots, &telling, at, MPSAN_LF_CYCLE);
		at = knots->graph.next[at];
	} while (at != head);
	tell_group(knots, &telling, knots->graph.group[head]);
	close_knot(knots, &telling, MPSAN_KNOT_CYCLE, 0, NULL);
}

/* Who waits for the GIL moves all the time, so each thread of the circle is asked. */
static bool cycle_is_told(struct knots *knots, uint32_t head)
{
	uint32_t at = head;

	do {
		if (thread_at(knots, at)->told)
			return true;
		at = knots->graph.next[at];
	} while (at != head);
	return false;
}

static void state_cycles(struct knots *knots)
{
	for (uint32_t i = 0; i < knots->graph.count; i++) {
		uint32_t head = graph_cycle(&knots->graph, i);

		if (head != GRAPH_NONE && !cycle_is_told(knots, head) &&
		    !left_explains_cycle(&knots->graph, head))
			state_cycle(knots, head);
	}
}

static bool group_is_told(struct knots *knots, uint32_t group)
{
	for (uint32_t i = 0; i < knots->graph.count; i++)
		if (knots->graph.group[i] == group && thread_at(knots, i)->told)
			return true;
	return false;
}

static uint32_t group_orphan(const struct knots *knots, uint32_t group)
{
	for (uint32_t i = 0; i < knots->graph.count; i++)
		if (knots->graph.group[i] == group && knots->waits.item.item[i].end == WAIT_NOBODY)
			return i;
	return GRAPH_NONE;
}

/* The process of an owner that is gone, when it has ended with it: as slot + 1. */
static uint32_t dead_process(const struct knots *knots, uint32_t orphan)
{
	uint32_t slot = knots->waits.item.item[orphan].gone_slot;

	return slot && knots->reader->processes[slot - 1].gone ? slot : 0;
}

static void state_dead_end(struct knots *knots, uint32_t group)
{
	uint32_t orphan = group_orphan(knots, group);
	struct telling telling = {0};

	if (orphan != GRAPH_NONE)
		tell(knots, &telling, orphan, 0);
	tell_group(knots, &telling, group);
	if (orphan == GRAPH_NONE)
		close_knot(knots, &telling, MPSAN_KNOT_DEAD_END, 0, NULL);
	else
		close_knot(knots, &telling, MPSAN_KNOT_OWNER_GONE, dead_process(knots, orphan),
			   NULL);
}

/* Somebody was woken, or is on its way out, since the look: who waits for the GIL moves all the time. */
static bool group_moves(struct knots *knots, uint32_t group)
{
	for (uint32_t i = 0; i < knots->graph.count; i++) {
		const struct census_thread *thread = thread_at(knots, i);
		struct proc_time time;
		int fd = -1;

		if (knots->graph.group[i] == group &&
		    knots->waits.item.item[i].kind != MPSAN_WAIT_GIL &&
		    proc_runs(thread->pid, thread->tid, &fd, false, &time) != thread->runs)
			return true;
	}
	return false;
}

static void state_dead_ends(struct knots *knots)
{
	for (uint32_t i = 0; i < knots->graph.count; i++)
		if (knots->graph.group[i] == i && !group_is_told(knots, i) &&
		    !graph_waits_for_keyboard(&knots->graph, i) &&
		    !left_explains(&knots->graph, i) && !idle_is_meant(&knots->graph, i) &&
		    !group_moves(knots, i))
			state_dead_end(knots, i);
}

/* ---- what the dead have left behind ---- */

static void state_loss(const struct loss *loss, void *context)
{
	struct knots *knots = context;
	struct wait *wait = &knots->waits.item.item[loss->thread];
	struct telling telling = {0};

	if (left_explains_loss(&knots->graph, loss->thread, loss->dead_slot))
		return;
	wait->flags = loss->proof ? wait->flags | MPSAN_LF_MUTUAL : wait->flags & ~MPSAN_LF_MUTUAL;
	wait->gone_slot = loss->dead_slot + 1;
	wait->taken = loss->taken;
	tell(knots, &telling, loss->thread, 0);
	thread_at(knots, loss->thread)->doubted = !loss->proof;
	if (knots->graph.dead[loss->thread])
		tell_group(knots, &telling, knots->graph.group[loss->thread]);
	close_knot(knots, &telling, loss->cause, loss->dead_slot + 1, loss->detail);
}

/* ---- waits that last too long, without a proof ---- */

static bool is_lock(uint64_t kind)
{
	return mpsan_kind_is_lock((unsigned)kind);
}

/* A wait for a lock with an owner that goes on elsewhere: told with that owner. */
static void state_long_wait(struct knots *knots, uint32_t index)
{
	const struct wait *wait = &knots->waits.item.item[index];
	struct telling telling = {0};

	tell(knots, &telling, index, 0);
	tell(knots, &telling, knots->waits.who.item[wait->begin], 0);
	close_knot(knots, &telling, MPSAN_KNOT_LONG, 0, NULL);
}

static bool is_stopped(const struct census_thread *thread)
{
	char state = proc_stat(thread->pid, thread->tid).state;

	return state == 'T' || state == 't';
}

static bool is_pipe_from_outside(const struct knots *knots, uint32_t index)
{
	const struct wait *wait = &knots->waits.item.item[index];

	return wait->end == WAIT_OPEN && wait->kind >= MPSAN_WAIT_PIPE_READ;
}

/* Nobody in the whole job ran for so long, nobody waits for the outside, and somebody is there who is no leftover. */
static bool job_is_idle(const struct knots *knots, uint64_t since_ns)
{
	const struct census *census = &knots->census;

	for (uint32_t i = 0; i < census->threads.count; i++) {
		const struct census_thread *thread = &census->threads.item[i];

		if (thread->call.state != PROC_IN_CALL || thread->still_ns > since_ns ||
		    thread->told || knots->waits.item.item[i].timed ||
		    call_is_outside(thread->pid, &thread->call) || is_pipe_from_outside(knots, i))
			return false;
	}
	for (uint32_t i = 0; i < census->processes.count; i++)
		if (!left_behind(census->reader, census->processes.item[i].slot))
			return true;
	return false;
}

/* Somebody outside may well mean it so: a signal is waited for, or the job was stopped. */
static bool idleness_is_meant(const struct knots *knots)
{
	const uint64_t child = 1ull << (SIGCHLD - 1), interrupt = 1ull << (SIGINT - 1);
	const struct census *census = &knots->census;

	for (uint32_t i = 0; i < census->processes.count; i++) {
		const struct mpsan_process *process =
			&census->reader->session.table[census->processes.item[i].slot];

		if (proc_handlers(process) & ~(process->python ? child | interrupt : child))
			return true;
	}
	for (uint32_t i = 0; i < census->threads.count; i++) {
		const struct census_thread *thread = &census->threads.item[i];

		if (is_stopped(thread) ||
		    (thread->tid == thread->pid && pythread_waits_for_event(thread)))
			return true;
	}
	return false;
}

static void state_idle_job(struct knots *knots)
{
	struct telling telling = {0};
	uint64_t flags = 0;

	for (uint32_t i = 0; i < knots->census.threads.count; i++)
		flags |= thread_at(knots, i)->idle ? MPSAN_LF_PARKED : 0;
	for (uint32_t i = 0; i < knots->census.threads.count; i++)
		tell(knots, &telling, i, flags);
	close_knot(knots, &telling, MPSAN_KNOT_LONG, 0, NULL);
}

/* One that runs, or was stopped, is slow but no riddle. */
static bool holder_sleeps(struct knots *knots, const struct wait *wait)
{
	const struct census_thread *holder = thread_at(knots, knots->waits.who.item[wait->begin]);

	return holder->call.state == PROC_IN_CALL && !is_stopped(holder);
}

static void state_long_waits(struct knots *knots, uint64_t now_ns)
{
	uint64_t since = now_ns - knots->hang_after_ns;

	if (!knots->hang_after_ns || now_ns < knots->hang_after_ns)
		return;
	for (uint32_t i = 0; i < knots->census.threads.count; i++) {
		const struct wait *wait = &knots->waits.item.item[i];

		if (wait->end == WAIT_OWNERS && is_lock(wait->kind) &&
		    thread_at(knots, i)->still_ns <= since && !thread_at(knots, i)->told &&
		    holder_sleeps(knots, wait))
			state_long_wait(knots, i);
	}
	if (job_is_idle(knots, since) && !idleness_is_meant(knots))
		state_idle_job(knots);
}

/* Asks each of the dead once more; whether that opened one. */
static bool check(struct knots *knots, bool (*ask)(struct waits *waits, uint32_t thread))
{
	bool changed = false;

	for (uint32_t i = 0; i < knots->graph.count; i++)
		changed |= knots->graph.dead[i] && ask(&knots->waits, i);
	return changed;
}

static bool has_news(struct knots *knots)
{
	for (uint32_t i = 0; i < knots->graph.count; i++)
		if (knots->graph.group[i] == i && !group_is_told(knots, i) &&
		    !idle_is_known(&knots->graph, i))
			return true;
	return false;
}

/* Both are asked, whatever the first says. */
static bool check_again(struct knots *knots)
{
	bool handlers = check(knots, waits_check_handlers);
	bool memory = check(knots, waits_check_memory);

	return handlers || memory;
}

/* The cheap picture first; where it shows somebody lost, the true one. */
static void solve(struct knots *knots)
{
	waits_find(&knots->waits, &knots->census);
	graph_solve(&knots->graph, &knots->waits);
	if (has_news(knots) && enders_refresh(&knots->waits.enders)) {
		waits_find(&knots->waits, &knots->census);
		graph_solve(&knots->graph, &knots->waits);
	}
	while (has_news(knots) && check_again(knots))
		graph_solve(&knots->graph, &knots->waits);
	while (has_news(knots) && check(knots, waits_check_moved))
		graph_solve(&knots->graph, &knots->waits);
}

bool knots_are_open(const struct knots *knots)
{
	for (uint32_t i = 0; i < knots->census.threads.count; i++) {
		const struct census_thread *thread = &knots->census.threads.item[i];

		if (!thread->told && thread->looks < 3 && thread->call.state == PROC_IN_CALL &&
		    !call_is_outside(thread->pid, &thread->call))
			return true;
	}
	return false;
}

void knots_look(struct knots *knots, uint64_t now_ns)
{
	uint64_t pause;

	if (now_ns < knots->next_ns)
		return;
	census_take(&knots->census, now_ns);
	mark_explained(knots);
	solve(knots);
	state_cycles(knots);
	losses_find(&knots->losses, &knots->graph, state_loss, knots);
	state_dead_ends(knots);
	state_long_waits(knots, now_ns);
	blindness_state(knots);
	pause = (clock_ns(CLOCK_MONOTONIC) - now_ns) * SHARE;
	pause = pause < LOOK_NS ? LOOK_NS : pause > LOOK_MAX_NS ? LOOK_MAX_NS : pause;
	knots->next_ns = now_ns + pause;
}
