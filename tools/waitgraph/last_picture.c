/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps what main threads wait for, and records it when their program is ended from outside. */
#include "last_picture.h"

#include <stdlib.h>

#include "../facts/processes.h"
#include "../facts/roles.h"
#include "idle.h"
#include "telling.h"

#define PICTURE_NS 5000000000ull /* younger waits are part of any program */
#define ENDING_NS 1000000000ull

/* ---- taking them ---- */

/* The thread that could end the wait of this one; SNAPSHOT_NONE: several, or unknown. */
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

static bool is_in_picture(const struct last_picture *picture, const struct snapshot_thread *thread)
{
	for (uint32_t i = 0; i < picture->count; i++)
		if (picture->part[i].slot == thread->slot && picture->part[i].tid == thread->tid)
			return true;
	return false;
}

/* Reads stacks and names now: at the end it is too late. */
static void take(struct deadlocks *deadlocks, uint32_t index)
{
	struct last_picture *picture = ARRAY_ADD(&deadlocks->pictures);

	*picture = (struct last_picture){0};
	while (index != SNAPSHOT_NONE && picture->count < LAST_PICTURE_PARTS &&
	       !is_in_picture(picture, deadlocks_thread(deadlocks, index))) {
		const struct snapshot_thread *thread = deadlocks_thread(deadlocks, index);

		picture->part[picture->count++] =
			(struct last_picture_part){thread->slot, thread->tid, thread->rest_ns,
						   telling_describe(deadlocks, index, 0)};
		index = next_thread(deadlocks, index);
	}
}

static bool is_due(const struct deadlocks *deadlocks, const struct snapshot_thread *thread)
{
	const struct snapshot *snapshot = &deadlocks->snapshot;
	const struct mpsan_process *process = &deadlocks->reader->session.table[thread->slot];

	return thread->tid == thread->pid && !thread->told && !thread->pictured &&
	       snapshot_rests(snapshot, thread) <= snapshot->now_ns - PICTURE_NS &&
	       !process_is_worker(&deadlocks->reader->facts, thread->slot) &&
	       !role_text(role_of(process));
}

/* Whether a thread of a picture has gone on, or more is known of it now. */
static bool has_changed(struct deadlocks *deadlocks, const struct last_picture_part *part)
{
	uint32_t index = snapshot_find(&deadlocks->snapshot, part->slot, part->tid);
	const struct snapshot_thread *thread =
		index == SNAPSHOT_NONE ? NULL : deadlocks_thread(deadlocks, index);

	return thread && (thread->rest_ns != part->rest_ns || thread->told);
}

/* Drops what has changed. A main thread that was just woken may be ending its program. */
static void forget_old(struct deadlocks *deadlocks)
{
	uint64_t now_ns = deadlocks->snapshot.now_ns;

	for (uint32_t i = deadlocks->pictures.count; i-- > 0;) {
		struct last_picture *picture = &deadlocks->pictures.item[i];

		for (uint32_t k = picture->count; k-- > 1;)
			if (has_changed(deadlocks, &picture->part[k]))
				picture->count = k;
		if (!picture->woken_ns && has_changed(deadlocks, &picture->part[0]))
			picture->woken_ns = now_ns;
		if (picture->woken_ns && now_ns - picture->woken_ns > ENDING_NS)
			*picture = deadlocks->pictures.item[--deadlocks->pictures.count];
	}
}

static bool is_told(struct deadlocks *deadlocks, const struct last_picture *picture)
{
	uint32_t index =
		snapshot_find(&deadlocks->snapshot, picture->part[0].slot, picture->part[0].tid);

	return index != SNAPSHOT_NONE && deadlocks_thread(deadlocks, index)->told;
}

void last_picture_look(struct deadlocks *deadlocks)
{
	uint32_t head;

	forget_old(deadlocks);
	for (uint32_t i = 0; i < deadlocks->snapshot.threads.count; i++) {
		struct snapshot_thread *thread = deadlocks_thread(deadlocks, i);

		if (!is_due(deadlocks, thread))
			continue;
		thread->pictured = true;
		if (!wait_is_apart(&deadlocks->waits.item.item[i]) &&
		    !idle_job_is_meant(&deadlocks->graph, &head))
			take(deadlocks, i);
	}
}

void last_picture_finish(struct deadlocks *deadlocks)
{
	free(deadlocks->pictures.item);
}

/* ---- recording them ---- */

static void state(struct deadlocks *deadlocks, const struct last_picture *picture, int signal)
{
	char *name = text_signal(signal);
	struct telling telling = {0};

	for (uint32_t i = 0; i < picture->count; i++)
		telling_put(deadlocks, &telling, picture->part[i].slot, picture->part[i].tid,
			    &picture->part[i].event);
	telling_close(deadlocks, &telling, MPSAN_DEADLOCK_LAST, 0, name);
	free(name);
}

void last_picture_state(struct deadlocks *deadlocks, int signal)
{
	for (uint32_t i = 0; i < deadlocks->pictures.count; i++)
		if (!is_told(deadlocks, &deadlocks->pictures.item[i]))
			state(deadlocks, &deadlocks->pictures.item[i], signal);
	deadlocks->pictures.count = 0;
}

void last_picture_state_ended(struct deadlocks *deadlocks)
{
	const struct facts *facts = &deadlocks->reader->facts;

	for (uint32_t i = 0; i < deadlocks->pictures.count; i++) {
		uint32_t slot = deadlocks->pictures.item[i].part[0].slot,
			 parent = process_parent(facts, slot);
		const struct mpsan_process *process = &deadlocks->reader->session.table[slot];

		if (process->end == MPSAN_END_SIGNAL && parent != FACT_NONE &&
		    fact_argv_has(facts->processes[parent].slot, "timeout"))
			state(deadlocks, &deadlocks->pictures.item[i], process->end_value);
	}
	deadlocks->pictures.count = 0;
}
