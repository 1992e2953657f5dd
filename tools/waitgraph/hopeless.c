/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Solves the graph once for each time at which a wait ends: everything that ends earlier counts as
 * open.
 */
#include "hopeless.h"

#include <stdlib.h>
#include <string.h>

#include "../facts/processes.h"
#include "../job/patience.h"
#include "../waits/pythreads.h"
#include "idle.h"
#include "orphans.h"
#include "solve.h"
#include "verdict.h"

#define TIMES_MAX 8u /* graphs solved for one snapshot */

/* ---- what becomes of them ---- */

void hopeless_follow(struct deadlocks *deadlocks, uint32_t index, uint64_t deadlock)
{
	const struct snapshot_thread *thread = deadlocks_thread(deadlocks, index);

	if (deadlock && deadlocks->waits.item.item[index].ends != MPSAN_ENDS_NEVER)
		*ARRAY_ADD(&deadlocks->ends) =
			(struct deadlock_end){deadlock, thread->slot, thread->own_tid};
}

static bool still_waits(struct deadlocks *deadlocks, const struct deadlock_end *end)
{
	uint32_t index = snapshot_find(&deadlocks->snapshot, end->slot, end->tid);

	return index != SNAPSHOT_NONE && deadlocks_entry(deadlocks, index)->call.gives_up;
}

void hopeless_look_ends(struct deadlocks *deadlocks)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < deadlocks->ends.count; i++) {
		const struct deadlock_end end = deadlocks->ends.item[i];
		struct ev_deadlock_over event = {.deadlock = end.deadlock};

		if (still_waits(deadlocks, &end))
			deadlocks->ends.item[kept++] = end;
		else
			watchlog_put(&deadlocks->log, EV_deadlock_over, end.slot, end.tid, &event,
				     sizeof(event));
	}
	deadlocks->ends.count = kept;
}

/* ---- whether they are told ---- */

static const struct wait *wait_at(const struct deadlocks *deadlocks, uint32_t index)
{
	return &deadlocks->waits.item.item[index];
}

/* Whether all that it waits for, directly or not, are owners; else it may have to be sent something. */
static bool group_needs_owners(const struct deadlocks *deadlocks, uint32_t index)
{
	const struct graph *graph = &deadlocks->graph;

	for (uint32_t i = 0; i < graph->solved.count; i++)
		if (graph->solved.group[i] == graph->solved.group[index] &&
		    !wait_needs_owner(wait_at(deadlocks, i)))
			return false;
	return true;
}

static uint64_t lasted_ns(const struct deadlocks *deadlocks, uint32_t index)
{
	return deadlocks->snapshot.now_ns -
	       wait_since(&deadlocks->snapshot, &deadlocks->waits, index);
}

/* Whether it ends at that time, and has lasted long enough to be examined. */
static bool is_candidate(const struct deadlocks *deadlocks, uint32_t index, uint64_t ends_at)
{
	const struct wait *wait = wait_at(deadlocks, index);

	return wait->ends != MPSAN_ENDS_NEVER && wait->end != WAIT_OPEN &&
	       wait_ends_at(wait) == ends_at && !deadlocks_told(deadlocks, index) &&
	       lasted_ns(deadlocks, index) >= PATIENCE_NS(OWNER);
}

/* Whether following the owners from a thread leads back to it. */
static bool lies_on_cycle(const struct graph *graph, uint32_t index)
{
	const uint32_t *next = graph->solved.next;
	uint32_t at = next[index], behind = index; /* they meet on a cycle of others */

	for (bool both = false; at != JOB_NONE && at != index && at != behind; both = !both) {
		at = next[at];
		behind = both ? next[behind] : behind;
	}
	return at == index;
}

static bool lies_between_others(const struct graph *graph, uint32_t index)
{
	return graph->solved.next[index] != index && lies_on_cycle(graph, index);
}

/* Whether those who wait for it, directly or not, go on once it gives up: it may help them then. */
static bool lets_through(const struct deadlocks *deadlocks, uint32_t index)
{
	const struct graph *graph = &deadlocks->graph;

	return wait_at(deadlocks, index)->kind == MPSAN_WAIT_PROCESS ||
	       lies_between_others(graph, index);
}

static uint64_t enough_ns(const struct deadlocks *deadlocks, uint32_t index)
{
	if (!group_needs_owners(deadlocks, index))
		return wait_at(deadlocks, index)->renewed ? PATIENCE_NS(OWNER) : PATIENCE_NS(SENT);
	if (wait_at(deadlocks, index)->of_task)
		return PATIENCE_NS(CYCLE);
	return (wait_at(deadlocks, index)->ends == MPSAN_ENDS_LIMIT ||
		wait_at(deadlocks, index)->tries) &&
			       lets_through(deadlocks, index) ?
		       PATIENCE_NS(CYCLE) :
		       PATIENCE_NS(OWNER);
}

/*
 * Between two waits a thread that polls may help the others of its group: not if these stood still
 * meanwhile.
 */
static bool group_stands(const struct deadlocks *deadlocks, uint32_t index)
{
	const struct graph *graph = &deadlocks->graph;
	uint64_t now_ns = deadlocks->snapshot.now_ns;
	const struct wait *wait = wait_at(deadlocks, index);
	uint64_t enough = wait->kind == MPSAN_WAIT_PROCESS || wait->tries ? PATIENCE_NS(CYCLE) :
									    PATIENCE_NS(POLLED);

	for (uint32_t i = 0; i < graph->solved.count; i++)
		if (i != index && graph->solved.group[i] == graph->solved.group[index] &&
		    wait_at(deadlocks, i)->kind != MPSAN_WAIT_GIL &&
		    now_ns - wait_since(&deadlocks->snapshot, &deadlocks->waits, i) < enough)
			return false;
	return true;
}

/*
 * Whether a thread on a cycle of the group may soon stop to repeat its wait, and let the others through: nobody knows how
 * often it tries.
 */
static bool may_let_go(const struct deadlocks *deadlocks, uint32_t group)
{
	const struct graph *graph = &deadlocks->graph;
	uint64_t half = deadlocks->hang_after_ns / 2,
		 enough = half > PATIENCE_NS(REPEATS) ? half : PATIENCE_NS(REPEATS);

	for (uint32_t i = 0; i < graph->solved.count; i++)
		if (graph->solved.group[i] == group && wait_wakes(wait_at(deadlocks, i)) &&
		    lasted_ns(deadlocks, i) < enough && lies_between_others(graph, i))
			return true;
	return false;
}

/* Whether it cannot succeed in this graph, and is to be recorded. */
static bool is_hopeless(const struct deadlocks *deadlocks, uint32_t index)
{
	const struct graph *graph = &deadlocks->graph;

	return is_candidate(deadlocks, index, graph->before_ns) && graph->solved.dead[index] &&
	       !idle_is_known(graph, graph->solved.group[index]) &&
	       lasted_ns(deadlocks, index) >= enough_ns(deadlocks, index) &&
	       (wait_at(deadlocks, index)->ends != MPSAN_ENDS_POLL ||
		group_stands(deadlocks, index)) &&
	       !may_let_go(deadlocks, graph->solved.group[index]);
}

static bool has_news(struct deadlocks *deadlocks)
{
	for (uint32_t i = 0; i < deadlocks->graph.solved.count; i++)
		if (is_hopeless(deadlocks, i))
			return true;
	return false;
}

static void add_cycle(struct deadlocks *deadlocks, struct verdict *verdict, uint32_t head)
{
	uint32_t at = head;

	do {
		verdict_add(deadlocks, verdict, at, MPSAN_LF_CYCLE);
		at = deadlocks->graph.solved.next[at];
	} while (at != head);
}

/* Those of the group that nothing ends may still be found in a deadlock of their own. */
static void mark_group(struct deadlocks *deadlocks, uint32_t group)
{
	for (uint32_t i = 0; i < deadlocks->graph.solved.count; i++) {
		struct ledger_entry *entry = deadlocks_entry(deadlocks, i);

		if (deadlocks->graph.solved.group[i] != group)
			continue;
		entry->call.gives_up = wait_at(deadlocks, i)->ends != MPSAN_ENDS_NEVER;
		entry->round.told = entry->call.gives_up;
	}
}

/*
 * The thread that the story is about: the main thread rather than a watchdog beside it that waits for
 * its time to act, and may end the main thread's wait then.
 */
static uint32_t subject_of(struct deadlocks *deadlocks, uint32_t index)
{
	const struct graph *graph = &deadlocks->graph;
	struct wait *wait = deadlocks->waits.item.item;

	for (uint32_t i = 0; i < graph->solved.count && !wait_needs_owner(&wait[index]); i++) {
		const struct snapshot_thread *thread = deadlocks_thread(deadlocks, i);

		if (graph->solved.group[i] != graph->solved.group[index] ||
		    thread->tid != thread->pid ||
		    thread->slot != deadlocks_thread(deadlocks, index)->slot ||
		    wait[i].ends != MPSAN_ENDS_NEVER || wait_needs_owner(&wait[i]))
			continue;
		wait[i].ends = wait[index].ends;
		wait[i].ends_ns = wait[index].ends_ns;
		return i;
	}
	return index;
}

static void state_hopeless(struct deadlocks *deadlocks, uint32_t index)
{
	const struct wait *wait = wait_at(deadlocks, index);
	const struct graph *graph = &deadlocks->graph;
	bool cycle = lies_on_cycle(graph, index);
	uint32_t first = cycle ? index : subject_of(deadlocks, index);
	struct verdict verdict = {0};
	uint64_t deadlock;

	if (cycle)
		add_cycle(deadlocks, &verdict, index);
	else
		verdict_add(deadlocks, &verdict, first, 0);
	verdict_add_group(deadlocks, &verdict, graph->solved.group[index]);
	deadlock = verdict_close(
		deadlocks, &verdict,
		cycle			 ? MPSAN_DEADLOCK_CYCLE :
		wait->end == WAIT_NOBODY ? MPSAN_DEADLOCK_OWNER_GONE :
					   MPSAN_DEADLOCK_DEAD_END,
		wait->end == WAIT_NOBODY ? verdict_dead_process(deadlocks, index) : 0, NULL);
	hopeless_follow(deadlocks, first, deadlock);
	mark_group(deadlocks, graph->solved.group[index]);
}

/* pytest-timeout's: it ends the process, and sends nobody anything. */
static bool is_watchdog(const struct snapshot_thread *thread)
{
	static const char watchdog[] = "pytest_timeout ";
	AUTO_FREE char *name = pythread_name(thread);

	return !strncmp(name, watchdog, sizeof(watchdog) - 1);
}

static bool is_owned_by(const struct deadlocks *deadlocks, uint32_t index, uint32_t owner)
{
	const struct wait *wait = wait_at(deadlocks, index);

	for (uint32_t i = 0; i < wait->count && wait->end == WAIT_OWNERS; i++)
		if (deadlocks->waits.who.item[wait->begin + i] == owner)
			return true;
	return false;
}

bool hopeless_is_pause(struct deadlocks *deadlocks, uint32_t index)
{
	const struct graph *graph = &deadlocks->graph;
	const struct snapshot_thread *thread = deadlocks_thread(deadlocks, index);

	if (wait_needs_owner(wait_at(deadlocks, index)) || is_watchdog(thread) ||
	    pythread_wants_result(thread))
		return false;
	if (thread->tid != thread->pid ||
	    process_is_worker(&deadlocks->reader->facts, thread->slot))
		return true;
	for (uint32_t i = 0; i < graph->solved.count; i++)
		if (is_owned_by(deadlocks, i, index))
			return true;
	return false;
}

static bool is_explained(struct deadlocks *deadlocks, uint32_t index)
{
	const struct graph *graph = &deadlocks->graph;
	uint32_t group = graph->solved.group[index];

	if (lies_on_cycle(graph, index))
		return orphans_explains_cycle(graph, index);
	if ((wait_at(deadlocks, index)->ends == MPSAN_ENDS_LIMIT &&
	     hopeless_is_pause(deadlocks, index)) ||
	    (!group_needs_owners(deadlocks, index) && verdict_told_group(deadlocks, group)))
		return true;
	return graph_waits_for_keyboard(graph, group) || orphans_explain_group(graph, group) ||
	       idle_is_meant(graph, group) || solve_group_moves(deadlocks, group);
}

/* ---- the times at which waits end ---- */

/*
 * The times of the candidates, each once, in ascending order; the caller frees them. A thread that polls for a
 * task is looked for among those of dead processes.
 */
static uint64_t *find_times(const struct deadlocks *deadlocks, uint32_t *count)
{
	uint64_t *time = memory_get((deadlocks->waits.item.count + 1) * sizeof(*time));
	uint32_t all = 0;

	for (uint32_t i = 0; i < deadlocks->waits.item.count; i++) {
		const struct wait *wait = wait_at(deadlocks, i);
		uint64_t ends_at = wait_ends_at(wait);

		if (is_candidate(deadlocks, i, ends_at) &&
		    (ends_at || wait->ends == MPSAN_ENDS_POLL))
			time[all++] = ends_at ?: JOB_RENEWED;
	}
	qsort(time, all, sizeof(*time), compare_words);
	*count = 0;
	for (uint32_t i = 0; i < all; i++)
		if (!*count || time[*count - 1] != time[i])
			time[(*count)++] = time[i];
	return time;
}

static void look_at(struct deadlocks *deadlocks, uint64_t ends_at)
{
	solve(deadlocks, ends_at, has_news);
	/* cycles first: they explain those who wait for one of their threads */
	for (int others = 0; others < 2; others++)
		for (uint32_t i = 0; i < deadlocks->graph.solved.count; i++)
			if (lies_on_cycle(&deadlocks->graph, i) == !others &&
			    is_hopeless(deadlocks, i) && !is_explained(deadlocks, i))
				state_hopeless(deadlocks, i);
}

void hopeless_find(struct deadlocks *deadlocks,
		   void (*see_loss)(const struct dead_owner *dead_owner, void *context))
{
	uint32_t count;
	AUTO_FREE uint64_t *time = find_times(deadlocks, &count);

	/* with many times, some at each snapshot */
	for (uint32_t k = 0; k < count && k < TIMES_MAX; k++) {
		look_at(deadlocks, time[(deadlocks->turn + k) % count]);
		dead_owners_find(&deadlocks->dead_owners, &deadlocks->graph, &deadlocks->waits,
				 see_loss, deadlocks);
	}
	deadlocks->turn = count > TIMES_MAX ? (deadlocks->turn + TIMES_MAX) % count : 0;
	if (count)
		graph_solve(&deadlocks->graph, &deadlocks->waits, UINT64_MAX);
}
