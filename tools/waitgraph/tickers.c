/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the bytes in a full pipe while the threads that could read from it wake up. */
#include "tickers.h"

#include "../job/patience.h"
#include "../proc/calls.h"
#include "../proc/fd_copy.h"
#include "../waits/ledger.h"

#define COUNT_NS 1000000000ull
#define TICKS 5u /* a consumer that is slow reads at some of them */

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

bool tickers_find(const struct graph *graph, struct waits *waits)
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
