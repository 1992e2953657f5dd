/* SPDX-License-Identifier: Apache-2.0 */
/* Looks at processes that have loaded torch. */
#include "ranks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../../shim/common/hash.h"
#include "../../shim/common/rank.h"
#include "../facts/processes.h"
#include "../proc/process/variables.h"
#include "../proc/procmaps.h"
#include "../symbols/pyview.h"
#include "async_work.h"

#define STACK_BYTES 16384u
#define NEEDS_MAX 256u
#define RESTS_NS 500000000ull /* a thread that has rested for so long is asked */
#define ASK_NS \
	1000000000ull /* one in a collective, or without torch so far, is asked that often at first */
#define ASK_OUTSIDE_NS 250000000ull /* where the first answer is all that there will be */
#define ASK_MAX_NS 30000000000ull
/* More than this share of a processor. A rank that asks the store every 10 ms uses a fiftieth, and so does the store for eight. */
#define BUSY_SHARE 5u

/* ---- the launcher's variables ---- */

static bool is_loopback(const char *address)
{
	return address && (!strcmp(address, "localhost") || !strncmp(address, "127.", 4) ||
			   !strcmp(address, "::1"));
}

static uint64_t hash_variable(uint64_t hash, const char *name)
{
	const char *value = variables_get(name);

	return hash_add(hash_text(hash, value ? value : ""), 0);
}

/* Ranks that meet at one address belong together; else those of one parent. */
static uint64_t job_of(const struct snapshot *snapshot, uint32_t slot)
{
	uint64_t hash = hash_variable(hash_variable(HASH_EMPTY, "MASTER_ADDR"), "MASTER_PORT");

	hash = hash_variable(hash, "TORCHELASTIC_RUN_ID");
	return variables_get("MASTER_PORT") ?
		       hash :
		       hash_add(hash, process_parent(&snapshot->reader->facts, slot));
}

static void ask_launcher(const struct snapshot *snapshot, struct rank *rank, uint32_t pid)
{
	struct mpsan_host host = {0};
	const char *here, *all;

	variables_read(pid);
	rank_describe(&host, variables_get);
	here = variables_get("LOCAL_WORLD_SIZE");
	all = variables_get("WORLD_SIZE");
	rank->local = is_loopback(variables_get("MASTER_ADDR")) ||
		      (here && all && !strcmp(here, all));
	rank->job = job_of(snapshot, rank->slot);
	if (!host.rank || !host.world || host.rank > host.world - 1)
		return;
	rank->number = host.rank - 1;
	rank->world = host.world - 1;
}

/* ---- what its main thread does ---- */

static bool has_torch(uint32_t pid)
{
	struct procmaps_walk walk = procmaps_begin(pid);
	bool found = false;

	while (!found && procmaps_next(&walk))
		found = strstr(walk.at.path, "/libtorch_python") ||
			strstr(walk.at.path, "/libtorch_cpu");
	procmaps_end(&walk);
	return found;
}

static void set_needs(struct rank *rank, const uint32_t *needs, unsigned count)
{
	free(rank->needs);
	rank->needs = count ? memory_get(count * sizeof(*needs)) : NULL;
	rank->needs_count = count;
	if (count)
		memcpy(rank->needs, needs, count * sizeof(*needs));
}

/* Autograd waits for other ranks only where hooks reduce gradients, which takes a process group. */
static bool is_there(const struct rank *rank, const struct collective *in)
{
	return in->name[0] && (!in->by_backward || (rank->joined && rank->world > 1));
}

static void take_number(struct rank *rank, const struct cpython_rank *found)
{
	if (!found->world)
		return;
	rank->number = found->rank;
	rank->world = found->world;
	rank->joined |= found->joined;
}

static struct collective look_for_collective(struct ranks *ranks, const struct reader *reader,
					     const struct snapshot_thread *thread,
					     const char *stack)
{
	struct collective found = collective_of(stack);

	if (found.name[0])
		return found;
	ranks->native = ranks->native ? ranks->native : native_create(reader);
	return async_work_waits(ranks->native, thread) ? collective_of_work(stack) : found;
}

static void ask_thread(struct ranks *ranks, const struct snapshot *snapshot, struct rank *rank,
		       const struct snapshot_thread *thread)
{
	AUTO_FREE struct pyview *view = pyview_open((pid_t)thread->pid);
	uint64_t pthread = thread->record ? thread->record->pthread : 0;
	AUTO_FREE char *stack = memory_get(STACK_BYTES);
	uint32_t needs[NEEDS_MAX];
	struct collective in = {0};
	struct cpython_rank found;
	uint64_t place;

	if (view && pyview_stack(view, pthread, stack, STACK_BYTES)) {
		in = look_for_collective(ranks, snapshot->reader, thread, stack);
		found = pyview_rank(view, pthread);
		take_number(rank, &found);
	}
	if (!is_there(rank, &in))
		in = (struct collective){0};
	place = hash_text(HASH_EMPTY, in.by_store ? in.place : stack);
	if (place != rank->place || !in.name[0] || strcmp(in.name, rank->in.name)) {
		rank->since_ns = snapshot->now_ns;
		rank->since_ran_ns = thread->time.ran_ns;
		rank->told = false;
	}
	rank->place = place;
	rank->in = in;
	rank->has_met |= in.name[0] != 0;
	set_needs(rank, needs, in.name[0] ? pyview_members(view, pthread, needs, NEEDS_MAX) : 0);
}

/*
 * It rests, or comes back to the same call again and again, and has run since it was last asked. From
 * outside, the time is short: one that asks the store again and again is recognized at once.
 */
static bool is_due(const struct snapshot *snapshot, const struct rank *rank,
		   const struct snapshot_thread *thread)
{
	return thread->call.state == PROC_IN_CALL && thread->same_ns &&
	       thread->runs != rank->runs && snapshot->now_ns >= rank->due_ns &&
	       (snapshot_polls(snapshot, thread) || rank->in.by_store ||
		(snapshot->outside && !rank->pause_ns) ||
		snapshot->now_ns - thread->still_ns >= RESTS_NS);
}

static void look_at_thread(struct ranks *ranks, const struct snapshot *snapshot, struct rank *rank)
{
	const struct snapshot_thread *thread = &snapshot->threads.item[rank->index];
	uint64_t first_ns = snapshot->outside ? ASK_OUTSIDE_NS : ASK_NS;

	if (!is_due(snapshot, rank, thread))
		return;
	rank->runs = thread->runs;
	rank->has_torch = rank->has_torch || has_torch(thread->pid);
	if (rank->has_torch)
		ask_thread(ranks, snapshot, rank, thread);
	rank->pause_ns = rank->in.name[0] || !rank->pause_ns ? first_ns : 2 * rank->pause_ns;
	rank->pause_ns = rank->pause_ns < ASK_MAX_NS ? rank->pause_ns : ASK_MAX_NS;
	rank->due_ns = snapshot->now_ns + rank->pause_ns;
}

static bool is_busy(const struct snapshot *snapshot, const struct snapshot_process *process)
{
	for (uint32_t i = process->begin; i < process->end; i++) {
		const struct snapshot_thread *thread = &snapshot->threads.item[i];

		if (thread->lately.ran_ns * BUSY_SHARE > snapshot->passed_ns)
			return true;
	}
	return false;
}

bool rank_waits(const struct snapshot *snapshot, const struct rank *rank, uint64_t since_ns)
{
	const struct snapshot_thread *thread;
	uint64_t ran_ns;

	if (rank->index == SNAPSHOT_NONE || !rank->world || !rank->in.name[0] ||
	    rank->since_ns > since_ns || rank->busy_ns > since_ns)
		return false;
	thread = &snapshot->threads.item[rank->index];
	ran_ns = thread->time.ran_ns - rank->since_ran_ns;
	return thread->call.state == PROC_IN_CALL &&
	       ran_ns * BUSY_SHARE <= snapshot->now_ns - rank->since_ns &&
	       (rank->in.by_store || snapshot_rests(snapshot, thread) <= since_ns);
}

/* ---- all of them ---- */

static struct rank *rank_of_slot(struct ranks *ranks, uint32_t slot)
{
	while (ranks->by_slot.count <= slot)
		*ARRAY_ADD(&ranks->by_slot) = 0;
	return ranks->by_slot.item[slot] ? &ranks->item.item[ranks->by_slot.item[slot] - 1] : NULL;
}

static struct rank *rank_add(struct ranks *ranks, const struct snapshot *snapshot,
			     const struct snapshot_process *process)
{
	struct rank *rank = ARRAY_ADD(&ranks->item);

	*rank = (struct rank){.slot = process->slot, .index = SNAPSHOT_NONE};
	ranks->by_slot.item[process->slot] = ranks->item.count;
	ask_launcher(snapshot, rank, process->pid);
	return rank;
}

void ranks_look(struct ranks *ranks, const struct snapshot *snapshot)
{
	for (uint32_t i = 0; i < ranks->item.count; i++)
		ranks->item.item[i].index = SNAPSHOT_NONE;
	for (uint32_t i = 0; i < snapshot->processes.count; i++) {
		const struct snapshot_process *process = &snapshot->processes.item[i];
		struct rank *rank;

		if (!snapshot->reader->session.table[process->slot].python)
			continue;
		rank = rank_of_slot(ranks, process->slot);
		rank = rank ? rank : rank_add(ranks, snapshot, process);
		rank->busy_ns = is_busy(snapshot, process) ? snapshot->now_ns : rank->busy_ns;
		if (process->begin == process->end ||
		    snapshot->threads.item[process->begin].tid != process->pid)
			continue;
		rank->index = process->begin;
		look_at_thread(ranks, snapshot, rank);
	}
}

bool ranks_are_open(const struct ranks *ranks)
{
	for (uint32_t i = 0; i < ranks->item.count; i++) {
		const struct rank *rank = &ranks->item.item[i];

		if (rank->index != SNAPSHOT_NONE && rank->world > 1 && rank->in.name[0] &&
		    !rank->told)
			return true;
	}
	return false;
}

void ranks_finish(struct ranks *ranks)
{
	for (uint32_t i = 0; i < ranks->item.count; i++)
		free(ranks->item.item[i].needs);
	free(ranks->item.item);
	free(ranks->by_slot.item);
	native_destroy(ranks->native);
	free(ranks->comms_told.item);
	variables_finish();
	*ranks = (struct ranks){0};
}
