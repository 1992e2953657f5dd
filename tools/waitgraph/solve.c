/* SPDX-License-Identifier: Apache-2.0 */
/* Solves the graph, without threads that tick beside a full pipe, and checks the dead threads once more. */
#include "solve.h"

#include "../job/patience.h"
#include "../proc/calls.h"
#include "../proc/fd_copy.h"
#include "../waits/ledger.h"
#include "verdict.h"

#define COUNT_NS 1000000000ull
#define TICKS 5u /* a consumer that is slow reads at some of them */

/* ---- threads that tick beside a full pipe: one that read from it would most likely do so when it wakes up ---- */

/* Whether threads of other processes keep a writer's wait open. */
static bool is_kept_open(const struct graph *graph, uint32_t index)
{
	return graph_is_kept_open(graph, index) &&
	       graph->waits->item.item[index].kind == MPSAN_WAIT_PIPE_WRITE;
}

/* For how long nobody had read from the pipe when its bytes were last counted. */
static uint64_t undrained_ns(const struct snapshot *snapshot, uint32_t index)
{
	const struct snapshot_thread *thread = &snapshot->threads.item[index];
	struct ledger_stand *stand = &ledger_of(snapshot, index)->stand;
	int bytes;

	if (!stand->counted_ns || snapshot->now_ns >= stand->counted_ns + COUNT_NS) {
		bytes = fd_copy_pipe_bytes(thread->pid, (int)thread->call.arg[0],
					   thread->object.inode);
		if (!stand->counted_ns || bytes != stand->bytes || bytes < 0)
			stand->bytes_ns = snapshot->now_ns;
		stand->bytes = bytes;
		stand->counted_ns = snapshot->now_ns;
	}
	return stand->counted_ns - stand->bytes_ns;
}

/*
 * Whether it woke up often enough while nobody read. The main thread goes on to something else, and also
 * runs what was registered for the exit.
 */
static bool ticks(const struct snapshot *snapshot, const struct snapshot_thread *thread,
		  uint64_t undrained)
{
	uint64_t rests = snapshot_rests(snapshot, thread), wakes = snapshot_wakes(thread);
	uint64_t rested = rests < snapshot->now_ns ? snapshot->now_ns - rests : 0;
	uint64_t both = rested < undrained ? rested : undrained;

	return thread->tid != thread->pid && call_has_limit(&thread->same) &&
	       both >= PATIENCE_NS(TICKS) && wakes && rested / wakes * TICKS <= both;
}

/* Adds the threads that tick in the processes of a wait; false: others of them go on, too. */
static bool add_tickers(const struct graph *graph, struct waits *waits, const struct wait *wait,
			uint64_t undrained)
{
	for (uint32_t k = 0; k < wait->count; k++) {
		const struct snapshot_process *process =
			&waits->snapshot->processes.item[waits->who.item[wait->begin + k]];

		for (uint32_t i = process->begin; i < process->end; i++) {
			if (waits->item.item[i].harmless || waits->item.item[i].driver ||
			    !graph_goes_on(graph, i))
				continue;
			if (!ticks(waits->snapshot, &waits->snapshot->threads.item[i], undrained))
				return false;
			*ARRAY_ADD(&waits->who) = i;
		}
	}
	return true;
}

static bool set_apart(const struct graph *graph, struct waits *waits, uint32_t index,
		      uint64_t undrained)
{
	struct wait *wait = &waits->item.item[index];
	uint32_t begin = waits->who.count;

	if (!add_tickers(graph, waits, wait, undrained))
		waits->who.count = begin;
	wait->apart = begin;
	wait->apart_count = waits->who.count - begin;
	return wait->apart_count;
}

/*
 * Sets them apart from the wait of a writer (wait.apart) when they have woken up several times while
 * not a byte was read: then a finding is a warning (MPSAN_LF_DOUBT). Returns whether there are any: the graph has to be
 * solved again.
 */
static bool find_tickers(const struct graph *graph, struct waits *waits)
{
	const struct snapshot *snapshot = waits->snapshot;
	bool any = false;

	for (uint32_t i = 0; i < graph->solved.count; i++) {
		const struct snapshot_thread *thread = &snapshot->threads.item[i];
		uint64_t passed;

		if (!is_kept_open(graph, i) || snapshot->now_ns - thread->still_ns < COUNT_NS)
			continue;
		passed = undrained_ns(snapshot, i);
		any |= passed >= PATIENCE_NS(TICKS) && set_apart(graph, waits, i, passed);
	}
	return any;
}

/* ---- the graph ---- */

/* Returns whether a check opened a thread. */
static bool check(struct deadlocks *deadlocks, bool (*ask)(struct waits *waits, uint32_t thread))
{
	bool changed = false;

	for (uint32_t i = 0; i < deadlocks->graph.solved.count; i++)
		changed |= deadlocks->graph.solved.dead[i] && ask(&deadlocks->waits, i);
	return changed;
}

/* Whether the main thread of its parent goes on; a fork server ends nobody. */
static bool has_parent(const struct deadlocks *deadlocks, uint32_t index)
{
	const struct snapshot *snapshot = &deadlocks->snapshot;
	uint32_t slot = snapshot->reader->session.table[snapshot->threads.item[index].slot].parent,
		 process = slot ? snapshot_process(snapshot, slot - 1) : SNAPSHOT_NONE,
		 main = process != SNAPSHOT_NONE ? snapshot->processes.item[process].begin :
						   SNAPSHOT_NONE;

	return main < deadlocks->graph.solved.count && !deadlocks->graph.solved.dead[main] &&
	       !deadlocks->waits.item.item[main].serves;
}

/* Opens the waits of daemons of multiprocessing whose parent goes on: it ends them at its own end. */
static bool check_daemons(struct deadlocks *deadlocks)
{
	bool changed = false;

	for (uint32_t i = 0; i < deadlocks->graph.solved.count; i++)
		if (deadlocks->graph.solved.dead[i] && has_parent(deadlocks, i) &&
		    waits_in_daemon(&deadlocks->waits, i)) {
			deadlocks->waits.item.item[i].end = WAIT_OPEN;
			changed = true;
		}
	return changed;
}

/* All checks are made, whatever the first returns. */
static bool check_again(struct deadlocks *deadlocks)
{
	bool handlers = check(deadlocks, waits_check_handlers);
	bool memory = check(deadlocks, waits_check_memory);
	bool daemons = check_daemons(deadlocks);

	return handlers || memory || daemons;
}

static void solve_once(struct deadlocks *deadlocks, uint64_t before_ns)
{
	struct graph *graph = &deadlocks->graph;

	graph_solve(graph, &deadlocks->waits, before_ns);
	if (find_tickers(graph, &deadlocks->waits))
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
