/* SPDX-License-Identifier: Apache-2.0 */
/* Solves the graph, and checks the dead threads once more. */
#include "solve.h"

#include "tickers.h"
#include "verdict.h"

/* Returns whether a check opened a thread. */
static bool check(struct deadlocks *deadlocks, bool (*ask)(struct waits *waits, uint32_t thread))
{
	bool changed = false;

	for (uint32_t i = 0; i < deadlocks->graph.solved.count; i++)
		changed |= deadlocks->graph.solved.dead[i] && ask(&deadlocks->waits, i);
	return changed;
}

/* Both checks are made, whatever the first returns. */
static bool check_again(struct deadlocks *deadlocks)
{
	bool handlers = check(deadlocks, waits_check_handlers);
	bool memory = check(deadlocks, waits_check_memory);

	return handlers || memory;
}

static void solve_once(struct deadlocks *deadlocks, uint64_t before_ns)
{
	struct graph *graph = &deadlocks->graph;

	graph_solve(graph, &deadlocks->waits, before_ns);
	if (tickers_find(graph, &deadlocks->waits))
		graph_solve(graph, &deadlocks->waits, before_ns);
}

void solve(struct deadlocks *deadlocks, uint64_t before_ns,
	   bool (*has_news)(struct deadlocks *deadlocks))
{
	struct waits *waits = &deadlocks->waits;

	solve_once(deadlocks, before_ns);
	if (has_news(deadlocks) && waits->verdict_ns != deadlocks->snapshot.now_ns) {
		waits->verdict_ns = deadlocks->snapshot.now_ns;
		wakers_refresh(&waits->wakers);
		waits_find(waits, &deadlocks->snapshot);
		solve_once(deadlocks, before_ns);
	}
	while (has_news(deadlocks) && check_again(deadlocks))
		solve_once(deadlocks, before_ns);
	while (has_news(deadlocks) && check(deadlocks, waits_check_moved))
		solve_once(deadlocks, before_ns);
}

/* Whether a thread has woken up or exited since the snapshot. */
bool solve_thread_moves(struct deadlocks *deadlocks, uint32_t index)
{
	const struct snapshot_thread *thread = deadlocks_thread(deadlocks, index);
	const struct wait *wait = &deadlocks->waits.item.item[index];
	struct proc_time time;

	return wait->kind != MPSAN_WAIT_GIL && !wait_wakes(wait) &&
	       proc_runs(thread->pid, thread->tid, NULL, &time) != thread->runs;
}

bool solve_group_moves(struct deadlocks *deadlocks, uint32_t group)
{
	for (uint32_t i = 0; i < deadlocks->graph.solved.count; i++)
		if (deadlocks->graph.solved.group[i] == group && solve_thread_moves(deadlocks, i))
			return true;
	return false;
}
