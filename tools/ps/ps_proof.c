/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See ps.h: which threads wait for ever. Nothing is concluded here: the supervisor, or attach's engine in its place,
 * has recorded deadlocks, and rules have called them errors.
 */
#include <stdlib.h>

#include "../rules/deadlock.h"
#include "../waitgraph/solve.h"
#include "../waits/ledger.h"
#include "ps.h"

/* Whether nothing ends this deadlock, by a finding of grade error, or by the proof of the wait that explains it. */
static bool is_for_ever(const struct ps *ps, uint32_t index)
{
	const struct facts *facts = &ps->reader->facts;
	const struct fact_deadlock *deadlock = &facts->deadlocks[index];
	uint32_t wait = deadlock_wait(facts, deadlock);

	if (wait != FACT_NONE)
		return fact_wait_is_proof(&facts->waits[wait]) &&
		       fact_wait_ends(&facts->waits[wait]) == MPSAN_ENDS_NEVER;
	for (uint32_t i = ps->judge->proved.count; i-- > 0;)
		if (ps->judge->proved.item[i] == index)
			return deadlock_subject(facts, deadlock)->ev.ends == MPSAN_ENDS_NEVER;
	return false;
}

/* Whether a thread is still in the wait that was recorded. */
static bool is_this_wait(const struct fact_blocked *blocked, const struct ps_waiter *waiter)
{
	if (blocked->at.by != waiter->slot || blocked->at.tid != waiter->tid ||
	    blocked->ev.ends != MPSAN_ENDS_NEVER)
		return false;
	return (waiter->still_ns && waiter->still_ns <= blocked->at.time_ns) ||
	       waiter->lock == blocked->ev.lock ||
	       (!waiter->lock && waiter->began_ns <= blocked->at.time_ns);
}

const struct fact_blocked *ps_proof_of(const struct ps *ps, const struct ps_waiter *waiter)
{
	const struct facts *facts = &ps->reader->facts;

	for (uint32_t k = facts->deadlock_count; k-- > 0;)
		for (uint32_t i = facts->deadlocks[k].begin;
		     i < facts->deadlocks[k].end && i < facts->blocked_count; i++)
			if (is_this_wait(&facts->blockeds[i], waiter) && is_for_ever(ps, k))
				return &facts->blockeds[i];
	return NULL;
}

/* Whether it has said before it blocked that nobody could end the wait, or was found to be so. */
static bool has_said_so(const struct ps *ps, const struct snapshot_thread *thread)
{
	for (uint32_t i = ps->reader->waits.count; i-- > 0;) {
		const struct fact_wait *wait = &ps->reader->waits.item[i];

		if (wait->at.by == thread->slot && wait->at.tid == thread->own_tid)
			return !wait->end_ns && fact_wait_is_proof(wait) &&
			       fact_wait_ends(wait) == MPSAN_ENDS_NEVER;
	}
	return false;
}

/* The groups of the graph in which a wait is proved, by number; the caller frees it. */
static bool *proved_groups(const struct deadlocks *deadlocks)
{
	const struct graph *graph = &deadlocks->graph;
	bool *proved = memory_get((graph->solved.count + 1) * sizeof(*proved));

	for (uint32_t i = 0; i < graph->solved.count; i++)
		if (graph->solved.dead[i] && ledger_of(&deadlocks->snapshot, i)->stand.proved)
			proved[graph->solved.group[i]] = true;
	return proved;
}

/* Whether a thread is to be told with others for which that is proved: it came later, or the record was full. */
static bool has_news(struct deadlocks *deadlocks)
{
	const struct graph *graph = &deadlocks->graph;
	bool *proved = proved_groups(deadlocks), found = false;

	for (uint32_t i = 0; i < graph->solved.count && !found; i++)
		found = graph->solved.dead[i] && proved[graph->solved.group[i]] &&
			!ledger_of(&deadlocks->snapshot, i)->stand.proved;
	free(proved);
	return found;
}

static void spread(struct deadlocks *deadlocks)
{
	AUTO_FREE bool *proved = NULL;

	if (!has_news(deadlocks))
		return;
	solve(deadlocks, UINT64_MAX, has_news);
	proved = proved_groups(deadlocks);
	for (uint32_t i = 0; i < deadlocks->graph.solved.count; i++)
		if (deadlocks->graph.solved.dead[i] && proved[deadlocks->graph.solved.group[i]])
			ledger_of(&deadlocks->snapshot, i)->stand.proved = true;
}

/* The lock for which it waits: of a PyMutex the thread waits at a semaphore of its own. */
static uint64_t lock_of(const struct deadlocks *deadlocks, uint32_t index)
{
	const struct snapshot_thread *thread = &deadlocks->snapshot.threads.item[index];
	const struct wait *wait = &deadlocks->waits.item.item[index];

	return thread->python.known && thread->python.mutex && thread->python.lock == wait->lock ?
		       thread->python.mutex :
		       wait->lock;
}

void ps_find_proved(struct ps *ps)
{
	struct deadlocks *deadlocks = ps->deadlocks;

	for (uint32_t i = 0; i < deadlocks->snapshot.threads.count; i++) {
		const struct snapshot_thread *thread = &deadlocks->snapshot.threads.item[i];
		struct ps_waiter waiter = {.slot = thread->slot,
					   .tid = thread->own_tid,
					   .lock = lock_of(deadlocks, i),
					   .still_ns = thread->still_ns,
					   .began_ns = thread->still_ns};

		ledger_of(&deadlocks->snapshot, i)->stand.proved =
			thread->call.state == PROC_IN_CALL &&
			(ps_proof_of(ps, &waiter) || has_said_so(ps, thread));
	}
	spread(deadlocks);
}
