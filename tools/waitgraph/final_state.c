/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps what main threads wait for, and records it when their program is ended from outside. */
#include "final_state.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "../facts/exceptions.h"
#include "../facts/processes.h"
#include "../facts/roles.h"
#include "../job/patience.h"
#include "../proc/calls.h"
#include "../proc/procfs.h"
#include "../waits/pythreads.h"
#include "handlers.h"
#include "idle.h"
#include "long_waits.h"
#include "verdict.h"

#define ENDING_NS 1000000000ull
#define ASK_NS 1000000000ull

/* ---- what is recorded ---- */

static uint64_t put(struct deadlocks *deadlocks, const struct final_state *picture,
		    enum mpsan_deadlock_cause cause, const char *detail)
{
	struct verdict verdict = {0};

	for (uint32_t i = 0; i < picture->count; i++)
		verdict_put(deadlocks, &verdict, picture->part[i].slot, picture->part[i].tid,
			    &picture->part[i].event);
	return verdict_close(deadlocks, &verdict, cause, 0, detail);
}

/* The draft counts for nothing any more. */
static void withdraw(struct deadlocks *deadlocks, const struct final_state *picture)
{
	struct ev_deadlock_over event = {.deadlock = picture->draft};

	watchlog_put(&deadlocks->log, EV_deadlock_over, picture->part[0].slot, picture->part[0].tid,
		     &event, sizeof(event));
}

/* ---- taking them ---- */

/* Who could end the wait of this one; SNAPSHOT_NONE: several, or unknown. */
static uint32_t next_thread(const struct deadlocks *deadlocks, uint32_t index)
{
	const struct wait *wait = &deadlocks->waits.item.item[index];
	const struct snapshot *snapshot = &deadlocks->snapshot;
	uint32_t who = wait->count ? deadlocks->waits.who.item[wait->begin] : SNAPSHOT_NONE;

	if (wait->end == WAIT_OWNERS && wait->count)
		return who;
	if (wait->end == WAIT_PROCESSES && wait->count == 1 &&
	    snapshot->processes.item[who].slot != snapshot->threads.item[index].slot)
		return snapshot->processes.item[who].begin;
	return wait->holder;
}

static bool is_in_picture(const struct final_state *picture, const struct snapshot_thread *thread)
{
	for (uint32_t i = 0; i < picture->count; i++)
		if (picture->part[i].slot == thread->slot &&
		    picture->part[i].tid == thread->own_tid)
			return true;
	return false;
}

/* Reads stacks and names now: at the end it is too late. */
static void add(struct deadlocks *deadlocks, struct final_state *picture, uint32_t index,
		bool is_bystander)
{
	const struct snapshot_thread *thread = deadlocks_thread(deadlocks, index);

	if (picture->count < LAST_PICTURE_PARTS && !is_in_picture(picture, thread))
		picture->part[picture->count++] =
			(struct final_state_part){thread->slot,
						  thread->own_tid,
						  thread->rest_ns,
						  thread->same_ns,
						  is_bystander,
						  verdict_describe(deadlocks, index, 0),
						  0};
}

static bool is_set_apart(const struct deadlocks *deadlocks, const struct wait *wait, uint32_t index)
{
	for (uint32_t i = 0; i < wait->apart_count; i++)
		if (deadlocks->waits.who.item[wait->apart + i] == index)
			return true;
	return false;
}

/* Whether it does something else by itself, and may end the wait some time. */
static bool may_act(const struct deadlocks *deadlocks, uint32_t waiter, uint32_t index)
{
	const struct wait *waits = deadlocks->waits.item.item;
	const struct snapshot_thread *thread = &deadlocks->snapshot.threads.item[index];

	return index != waiter && wait_is_apart(&waits[index]) && !waits[index].harmless &&
	       !is_set_apart(deadlocks, &waits[waiter], index) &&
	       !role_text(role_of(&deadlocks->reader->session.table[thread->slot]));
}

/* Adds threads of the processes that could end the wait. */
static void add_bystanders(struct deadlocks *deadlocks, struct final_state *picture,
			   uint32_t waiter)
{
	const struct wait wait = deadlocks->waits.item.item[waiter];

	for (uint32_t i = 0; wait.end == WAIT_PROCESSES && i < wait.count; i++) {
		const struct snapshot_process *process =
			&deadlocks->snapshot.processes
				 .item[deadlocks->waits.who.item[wait.begin + i]];

		for (uint32_t k = process->begin; k < process->end; k++)
			if (may_act(deadlocks, waiter, k))
				add(deadlocks, picture, k, true);
	}
}

static struct final_state take(struct deadlocks *deadlocks, uint32_t index)
{
	struct final_state picture = {0};
	uint32_t last = index;

	while (index != SNAPSHOT_NONE && picture.count < LAST_PICTURE_PARTS &&
	       !is_in_picture(&picture, deadlocks_thread(deadlocks, index))) {
		add(deadlocks, &picture, index, false);
		last = index;
		index = next_thread(deadlocks, index);
	}
	add_bystanders(deadlocks, &picture, last);
	return picture;
}

/* Whether the main thread waits for a thread or process to end, or for an Event: as services do. */
static bool may_be_parked(struct deadlocks *deadlocks, uint32_t index)
{
	const struct wait *wait = &deadlocks->waits.item.item[index];

	return wait->kind == MPSAN_WAIT_PROCESS || wait->kind == MPSAN_WAIT_JOIN || wait->joins ||
	       pythread_waits_for_event(deadlocks_thread(deadlocks, index));
}

/*
 * Whether the wait was to end before the program does: another thread may still act, of its own
 * accord if the main thread may be parked while that one serves.
 */
static bool was_to_end(struct deadlocks *deadlocks, uint32_t index,
		       const struct final_state *picture)
{
	bool serves = may_be_parked(deadlocks, index);

	for (uint32_t i = 1; i < picture->count; i++) {
		uint32_t at = snapshot_find(&deadlocks->snapshot, picture->part[i].slot,
					    picture->part[i].tid);
		const struct snapshot_thread *thread = deadlocks_thread(deadlocks, at);

		if (wait_is_apart(&deadlocks->waits.item.item[at]) &&
		    (!serves || call_is_sleep(&thread->call) ||
		     !call_is_outside(thread->pid, &thread->call)))
			return true;
	}
	return false;
}

static bool is_due(const struct deadlocks *deadlocks, uint32_t index)
{
	const struct snapshot *snapshot = &deadlocks->snapshot;
	const struct snapshot_thread *thread = &snapshot->threads.item[index];
	const struct mpsan_process *process = &deadlocks->reader->session.table[thread->slot];

	return thread->tid == thread->pid && !deadlocks_told(deadlocks, index) &&
	       !deadlocks_entry(deadlocks, index)->rest.pictured &&
	       snapshot_rests(snapshot, thread) <= snapshot->now_ns - PATIENCE_NS(PICTURE) &&
	       !process_is_worker(&deadlocks->reader->facts, thread->slot) &&
	       !role_text(role_of(process));
}

/* Whether a thread of a picture has gone on, or more is known of it now. */
static bool has_changed(struct deadlocks *deadlocks, const struct final_state_part *part)
{
	uint32_t index = snapshot_find(&deadlocks->snapshot, part->slot, part->tid);

	return index != SNAPSHOT_NONE &&
	       (deadlocks_thread(deadlocks, index)->rest_ns != part->rest_ns ||
		deadlocks_told(deadlocks, index));
}

/* Whether it has ended, and not just now, with the program. */
static bool has_left(const struct deadlocks *deadlocks, struct final_state_part *part)
{
	uint64_t now_ns = deadlocks->snapshot.now_ns;

	if (snapshot_find(&deadlocks->snapshot, part->slot, part->tid) != SNAPSHOT_NONE)
		part->gone_ns = 0;
	else if (!part->gone_ns)
		part->gone_ns = now_ns;
	return part->gone_ns && now_ns - part->gone_ns > ENDING_NS;
}

static void remove_part(struct final_state *picture, uint32_t k)
{
	picture->count--;
	memmove(&picture->part[k], &picture->part[k + 1],
		(picture->count - k) * sizeof(picture->part[0]));
}

/* Drops what has changed since, and bystanders that have ended. */
static void update(struct deadlocks *deadlocks, struct final_state *picture)
{
	uint32_t count = picture->count;

	for (uint32_t k = picture->count; k-- > 1;) {
		struct final_state_part *part = &picture->part[k];

		if (!part->is_bystander && has_changed(deadlocks, part))
			picture->count = k;
		else if (part->is_bystander && has_left(deadlocks, part))
			remove_part(picture, k);
	}
	if (picture->count == count)
		return;
	withdraw(deadlocks, picture);
	picture->draft = put(deadlocks, picture, MPSAN_DEADLOCK_DRAFT, NULL);
}

static bool is_told(const struct deadlocks *deadlocks, uint32_t index)
{
	return deadlocks_told(deadlocks, index) || deadlocks_entry(deadlocks, index)->rest.hung;
}

/*
 * Marks in `help` the threads that, in the end, may wait for one that is part of a finding: nothing more is to be said
 * of them. Whether there are any.
 */
static bool find_explained(struct deadlocks *deadlocks)
{
	uint32_t count = deadlocks->snapshot.threads.count;
	AUTO_FREE enum at_work *work = memory_get((count + 1) * sizeof(*work));
	bool any = false;

	for (uint32_t i = 0; i < count; i++) {
		work[i] = is_told(deadlocks, i) ? AT_WORK : AT_WORK_NOT;
		any |= work[i] == AT_WORK;
	}
	if (any)
		graph_solve_work(&deadlocks->help, &deadlocks->waits, work);
	return any;
}

/* Whether the main thread cleans up after an error of which nobody was told: who kills it meanwhile loses that. */
static bool hides_error(const struct deadlocks *deadlocks, const struct final_state *picture)
{
	const struct final_state_part *first = &picture->part[0];

	return first->event.cleans &&
	       !exception_was_told(&deadlocks->reader->facts, first->slot, first->event.cleans);
}

static bool is_needed(const struct deadlocks *deadlocks, const struct final_state *picture)
{
	return !picture->hides || hides_error(deadlocks, picture);
}

/* Waits for the end of processes that are at work: a parent of such a one does not hang. */
static bool is_parent_of_work(const struct deadlocks *deadlocks, uint32_t index)
{
	const struct wait *wait = &deadlocks->waits.item.item[index];

	return wait->kind == MPSAN_WAIT_PROCESS && wait->is_helped;
}

static bool waits_for_process(const struct deadlocks *deadlocks)
{
	for (uint32_t i = 0; i < deadlocks->snapshot.threads.count; i++)
		if (deadlocks->waits.item.item[i].kind == MPSAN_WAIT_PROCESS)
			return true;
	return false;
}

/* Asks from time to time who is at work; false: not this time. */
static bool find_work(struct deadlocks *deadlocks)
{
	uint64_t now_ns = deadlocks->snapshot.now_ns;

	if (!waits_for_process(deadlocks) || now_ns < deadlocks->pictures_ns + ASK_NS)
		return false;
	deadlocks->pictures_ns = now_ns;
	long_waits_find_helped(deadlocks, now_ns - PATIENCE_NS(PICTURE));
	return true;
}

static void drop(struct deadlocks *deadlocks, uint32_t number)
{
	struct final_state *picture = &deadlocks->pictures.item[number];

	withdraw(deadlocks, picture);
	*picture = deadlocks->pictures.item[--deadlocks->pictures.count];
}

/* What was stuck may go on, and the picture is taken again when it is once more. */
static void forget_parents(struct deadlocks *deadlocks)
{
	for (uint32_t i = deadlocks->pictures.count; i-- > 0;) {
		const struct final_state *picture = &deadlocks->pictures.item[i];
		uint32_t index = snapshot_find(&deadlocks->snapshot, picture->part[0].slot,
					       picture->part[0].tid);

		if (index == SNAPSHOT_NONE || !is_parent_of_work(deadlocks, index) ||
		    hides_error(deadlocks, picture))
			continue;
		deadlocks_entry(deadlocks, index)->rest.pictured = false;
		drop(deadlocks, i);
	}
}

static void forget_explained(struct deadlocks *deadlocks)
{
	for (uint32_t i = deadlocks->pictures.count; i-- > 0;) {
		struct final_state *picture = &deadlocks->pictures.item[i];
		uint32_t index = snapshot_find(&deadlocks->snapshot, picture->part[0].slot,
					       picture->part[0].tid);

		if (index != SNAPSHOT_NONE && !deadlocks->help.solved.dead[index])
			drop(deadlocks, i);
	}
}

/* A main thread that was just woken may be ending its program. */
static void forget_old(struct deadlocks *deadlocks)
{
	uint64_t now_ns = deadlocks->snapshot.now_ns;

	for (uint32_t i = deadlocks->pictures.count; i-- > 0;) {
		struct final_state *picture = &deadlocks->pictures.item[i];

		update(deadlocks, picture);
		if (!picture->woken_ns && has_changed(deadlocks, &picture->part[0]))
			picture->woken_ns = now_ns;
		if (picture->woken_ns && now_ns - picture->woken_ns > ENDING_NS)
			drop(deadlocks, i);
	}
}

/* The draft outlives a supervisor that is killed. */
static void keep(struct deadlocks *deadlocks, uint32_t index, bool is_apart)
{
	const struct session *session = &deadlocks->reader->session;
	struct final_state picture;
	uint32_t head;
	bool has_keyboard;

	if (watchlog_is_half_full(&deadlocks->log))
		return;
	picture = take(deadlocks, index);
	picture.hides = is_apart || is_parent_of_work(deadlocks, index) ||
			(!was_to_end(deadlocks, index, &picture) &&
			 idle_job_is_meant(&deadlocks->graph, waits_shared(&deadlocks->waits),
					   &head, &has_keyboard));
	if (!is_needed(deadlocks, &picture))
		return;
	picture.handled = handlers_that_end(session, deadlocks_thread(deadlocks, index),
					    wait_needs_owner(&deadlocks->waits.item.item[index]));
	picture.handlers = session_handlers(session, picture.part[0].slot);
	picture.draft = put(deadlocks, &picture, MPSAN_DEADLOCK_DRAFT, NULL);
	*ARRAY_ADD(&deadlocks->pictures) = picture;
}

/* With a limit it is open who could end it, but not what the program waits for. */
static bool wants_answer(const struct snapshot_thread *thread)
{
	return pythread_wait(thread, 0).frames.meant == PARKED_BLOCKED;
}

/* A pause ends by itself. */
static bool may_hide_error(const struct snapshot_thread *thread)
{
	return !call_is_sleep(&thread->call) && pythread_cleans(thread);
}

/* While it is not known who is at work, parents wait for the answer. */
static bool may_be_kept(const struct deadlocks *deadlocks, uint32_t index, bool asked)
{
	return deadlocks->waits.item.item[index].kind != MPSAN_WAIT_PROCESS ||
	       (asked && (!is_parent_of_work(deadlocks, index) ||
			  pythread_cleans(&deadlocks->snapshot.threads.item[index])));
}

void final_state_look(struct deadlocks *deadlocks)
{
	bool explained, asked, apart;

	if (procfs_source()) /* it ended before we looked */
		return;
	forget_old(deadlocks);
	asked = find_work(deadlocks);
	if (asked)
		forget_parents(deadlocks);
	explained = find_explained(deadlocks);
	if (explained)
		forget_explained(deadlocks);
	for (uint32_t i = 0; i < deadlocks->snapshot.threads.count; i++) {
		if (!is_due(deadlocks, i) || (explained && !deadlocks->help.solved.dead[i]) ||
		    !may_be_kept(deadlocks, i, asked))
			continue;
		deadlocks_entry(deadlocks, i)->rest.pictured = true;
		apart = wait_is_apart(&deadlocks->waits.item.item[i]) &&
			!wants_answer(deadlocks_thread(deadlocks, i));
		if (!apart || may_hide_error(deadlocks_thread(deadlocks, i)))
			keep(deadlocks, i, apart);
	}
}

void final_state_finish(struct deadlocks *deadlocks)
{
	free(deadlocks->pictures.item);
}

/* ---- the end ---- */

/*
 * It is part of a finding, or its program ends by a handler that it waited for. What any other handler raises is printed
 * together with what was handled then.
 */
static bool is_explained(struct deadlocks *deadlocks, struct final_state *picture, int number)
{
	uint32_t index =
		snapshot_find(&deadlocks->snapshot, picture->part[0].slot, picture->part[0].tid);

	if (number != SIGKILL && picture->handlers >> (number - 1) & 1)
		picture->part[0].event.cleans = 0;
	return (index != SNAPSHOT_NONE && is_told(deadlocks, index)) ||
	       picture->handled >> (number - 1) & 1 || !is_needed(deadlocks, picture);
}

/* Bystanders may have come to another place since the picture was taken: who runs now is left out then. */
static void look_again(struct deadlocks *deadlocks, struct final_state *picture)
{
	for (uint32_t k = picture->count; k-- > 1;) {
		struct final_state_part *part = &picture->part[k];
		uint32_t index = snapshot_find(&deadlocks->snapshot, part->slot, part->tid);
		const struct snapshot_thread *thread;

		if (!part->is_bystander || index == SNAPSHOT_NONE)
			continue;
		thread = deadlocks_thread(deadlocks, index);
		if (proc_thread_alive(thread->pid, thread->tid) && snapshot_stands(thread))
			part->event = verdict_describe(deadlocks, index, 0);
		else if (thread->same_ns != part->same_ns)
			remove_part(picture, k);
	}
}

static void state(struct deadlocks *deadlocks, struct final_state *picture, int number)
{
	AUTO_FREE char *name = text_signal(number);

	withdraw(deadlocks, picture);
	look_again(deadlocks, picture);
	put(deadlocks, picture, MPSAN_DEADLOCK_LAST, name);
}

void final_state_record(struct deadlocks *deadlocks, int signal)
{
	for (uint32_t i = 0; i < deadlocks->pictures.count; i++)
		if (!is_explained(deadlocks, &deadlocks->pictures.item[i], signal))
			state(deadlocks, &deadlocks->pictures.item[i], signal);
	deadlocks->pictures.count = 0;
}

void final_state_record_ended(struct deadlocks *deadlocks)
{
	const struct facts *facts = &deadlocks->reader->facts;

	for (uint32_t i = 0; i < deadlocks->pictures.count; i++) {
		uint32_t slot = deadlocks->pictures.item[i].part[0].slot,
			 parent = process_parent(facts, slot);
		const struct mpsan_process *process = &deadlocks->reader->session.table[slot];

		if (process->end == MPSAN_END_SIGNAL && parent != FACT_NONE &&
		    fact_argv_has(facts->processes[parent].slot, "timeout") &&
		    is_needed(deadlocks, &deadlocks->pictures.item[i]))
			state(deadlocks, &deadlocks->pictures.item[i], process->end_value);
	}
	deadlocks->pictures.count = 0;
}
