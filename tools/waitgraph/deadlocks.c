/* SPDX-License-Identifier: Apache-2.0 */
/* Takes snapshots, solves the wait-for graph, and records deadlocks in the supervisor's log. */
#include "deadlocks.h"

#include <stdlib.h>
#include <time.h>

#include "../proc/calls.h"
#include "blind_spots.h"
#include "final_state.h"
#include "forked_waits.h"
#include "hopeless.h"
#include "idle.h"
#include "long_waits.h"
#include "missing_ranks.h"
#include "orphans.h"
#include "solve.h"
#include "verdict.h"

#define LOOK_NS 250000000ull /* minimum time between two snapshots */
#define SHARE 200u /* snapshots take at most 1/200 of the time, */
#define LATE_NS \
	900000000ull /* up to this time between two; without the library alarms are foreseen for a second, */
#define LATE_SHARE 60u /* else 1/60, */
#define CROWD 1000u /* or with so many threads, */
#define CROWD_SHARE 400u /* 1/400, */
#define LATEST_NS 3000000000ull /* up to this time: some thousand threads */

static void begin(struct deadlocks *deadlocks, const struct reader *reader)
{
	*deadlocks = (struct deadlocks){.reader = reader, .log = {.fd = -1}};
	snapshot_init(&deadlocks->snapshot, reader);
	dead_owners_init(&deadlocks->dead_owners);
}

void deadlocks_init(struct deadlocks *deadlocks, const struct reader *reader,
		    uint64_t hang_after_ns)
{
	begin(deadlocks, reader);
	deadlocks->hang_after_ns = deadlocks->dead_owners.hang_after_ns = hang_after_ns;
	watchlog_open(&deadlocks->log, reader);
}

void deadlocks_init_beside(struct deadlocks *deadlocks, struct reader *reader, bool proves)
{
	begin(deadlocks, reader);
	deadlocks->blind = deadlocks->hidden = true; /* the caller says so */
	if (proves)
		watchlog_continue(&deadlocks->log, reader);
}

void deadlocks_finish(struct deadlocks *deadlocks)
{
	final_state_finish(deadlocks);
	free(deadlocks->ends.item);
	snapshot_finish(&deadlocks->snapshot);
	waits_finish(&deadlocks->waits);
	graph_finish(&deadlocks->graph);
	graph_finish(&deadlocks->help);
	ranks_finish(&deadlocks->ranks);
	watchlog_close(&deadlocks->log);
}

/* ---- waits that the library has proved itself ---- */

static void mark_explained(struct deadlocks *deadlocks)
{
	const struct reader *reader = deadlocks->reader;

	for (uint32_t i = 0; i < reader->waits.count; i++) {
		const struct fact_wait *wait = &reader->waits.item[i];
		uint32_t index;

		if (wait->end_ns || !mpsan_wait_is_proof(&wait->ev))
			continue;
		index = snapshot_find(&deadlocks->snapshot, wait->at.by, wait->at.tid);
		if (index != SNAPSHOT_NONE)
			deadlocks_entry(deadlocks, index)->round.told = true;
	}
}

/* ---- deadlocks ---- */

static void state_cycle(struct deadlocks *deadlocks, uint32_t head)
{
	struct verdict verdict = {0};
	uint32_t at = head;

	do {
		verdict_add(deadlocks, &verdict, at, MPSAN_LF_CYCLE);
		at = deadlocks->graph.solved.next[at];
	} while (at != head);
	verdict_add_group(deadlocks, &verdict, deadlocks->graph.solved.group[head]);
	verdict_close(deadlocks, &verdict, MPSAN_DEADLOCK_CYCLE, 0, NULL);
}

static bool cycle_moves(struct deadlocks *deadlocks, uint32_t head)
{
	uint32_t at = head;

	do {
		if (solve_thread_moves(deadlocks, at))
			return true;
		at = deadlocks->graph.solved.next[at];
	} while (at != head);
	return false;
}

/* GIL waiters wake up all the time, so each thread of the cycle is checked. */
static bool cycle_is_told(struct deadlocks *deadlocks, uint32_t head)
{
	uint32_t at = head;

	do {
		if (deadlocks_told(deadlocks, at))
			return true;
		at = deadlocks->graph.solved.next[at];
	} while (at != head);
	return false;
}

static void state_cycles(struct deadlocks *deadlocks)
{
	for (uint32_t i = 0; i < deadlocks->graph.solved.count; i++) {
		uint32_t head = job_cycle(&deadlocks->graph.solved, i);

		if (head != JOB_NONE && !cycle_is_told(deadlocks, head) &&
		    !orphans_explains_cycle(&deadlocks->graph, head) &&
		    !cycle_moves(deadlocks, head))
			state_cycle(deadlocks, head);
	}
}

static uint32_t group_orphan(const struct deadlocks *deadlocks, uint32_t group)
{
	for (uint32_t i = 0; i < deadlocks->graph.solved.count; i++)
		if (deadlocks->graph.solved.group[i] == group &&
		    deadlocks->waits.item.item[i].end == WAIT_NOBODY)
			return i;
	return JOB_NONE;
}

static uint32_t group_bereft(const struct deadlocks *deadlocks, uint32_t group)
{
	for (uint32_t i = 0; i < deadlocks->graph.solved.count; i++)
		if (deadlocks->graph.solved.group[i] == group &&
		    waits_owner_has_ended(&deadlocks->waits, i))
			return i;
	return JOB_NONE;
}

static void state_dead_end(struct deadlocks *deadlocks, uint32_t group)
{
	uint32_t orphan = group_orphan(deadlocks, group);
	bool owned = orphan != JOB_NONE;
	struct verdict verdict = {0};

	if (!owned)
		orphan = group_bereft(deadlocks, group);
	if (orphan != JOB_NONE)
		verdict_add(deadlocks, &verdict, orphan, owned ? 0 : MPSAN_LF_MUTUAL);
	verdict_add_group(deadlocks, &verdict, group);
	if (orphan == JOB_NONE)
		verdict_close(deadlocks, &verdict, MPSAN_DEADLOCK_DEAD_END, 0, NULL);
	else
		verdict_close(deadlocks, &verdict, MPSAN_DEADLOCK_OWNER_GONE,
			      verdict_dead_process(deadlocks, orphan), NULL);
}

static void state_dead_ends(struct deadlocks *deadlocks)
{
	for (uint32_t i = 0; i < deadlocks->graph.solved.count; i++)
		if (deadlocks->graph.solved.group[i] == i && !verdict_told_group(deadlocks, i) &&
		    !graph_waits_for_keyboard(&deadlocks->graph, i) &&
		    !orphans_explain_group(&deadlocks->graph, i) &&
		    !idle_is_meant(&deadlocks->graph, i) && !solve_group_moves(deadlocks, i))
			state_dead_end(deadlocks, i);
}

/* ---- locks of dead owners ---- */

static void state_loss(const struct dead_owner *dead_owner, void *context)
{
	struct deadlocks *deadlocks = context;
	struct wait *wait = &deadlocks->waits.item.item[dead_owner->thread];
	struct ledger_entry *entry = deadlocks_entry(deadlocks, dead_owner->thread);
	struct verdict verdict = {0};
	uint64_t deadlock;

	if (dead_owner->dead_slot != SNAPSHOT_NONE &&
	    orphans_explains_loss(&deadlocks->graph, dead_owner->thread, dead_owner->dead_slot))
		return;
	wait->flags = dead_owner->proof ? wait->flags | MPSAN_LF_MUTUAL :
					  wait->flags & ~MPSAN_LF_MUTUAL;
	wait->gone_slot = dead_owner->dead_slot + 1;
	wait->taken = dead_owner->taken;
	if (dead_owner->handled && wait->ends == MPSAN_ENDS_NEVER)
		wait->ends = MPSAN_ENDS_HANDLER;
	verdict_add(deadlocks, &verdict, dead_owner->thread, 0);
	entry->stand.doubted = !dead_owner->proof;
	entry->call.gives_up = wait->ends != MPSAN_ENDS_NEVER;
	if (deadlocks->graph.solved.dead[dead_owner->thread])
		verdict_add_group(deadlocks, &verdict,
				  deadlocks->graph.solved.group[dead_owner->thread]);
	deadlock = verdict_close(deadlocks, &verdict, dead_owner->cause, dead_owner->dead_slot + 1,
				 dead_owner->detail);
	hopeless_follow(deadlocks, dead_owner->thread, deadlock);
}

/* ---- the graph ---- */

static bool has_news(struct deadlocks *deadlocks)
{
	for (uint32_t i = 0; i < deadlocks->graph.solved.count; i++)
		if (deadlocks->graph.solved.group[i] == i && !verdict_told_group(deadlocks, i) &&
		    !idle_is_known(&deadlocks->graph, i))
			return true;
	return false;
}

bool deadlocks_are_open(const struct deadlocks *deadlocks)
{
	for (uint32_t i = 0; i < deadlocks->snapshot.threads.count; i++) {
		const struct snapshot_thread *thread = &deadlocks->snapshot.threads.item[i];

		if (!deadlocks_told(deadlocks, i) && thread->looks < 3 &&
		    thread->call.state == PROC_IN_CALL &&
		    !call_is_outside(thread->pid, &thread->call))
			return true;
	}
	return false;
}

/*
 * The time until the next snapshot, after one that took so much. The first one opens the files of all threads, so the
 * lesser of the last two counts. Few threads are looked at often even if that takes long: it is their stacks and symbols.
 */
static uint64_t pause_after(struct deadlocks *deadlocks, uint64_t took_ns)
{
	uint64_t least = took_ns < deadlocks->took_ns ? took_ns : deadlocks->took_ns, late;

	deadlocks->took_ns = took_ns;
	if (least * SHARE <= LATE_NS)
		return least * SHARE < LOOK_NS ? LOOK_NS : least * SHARE;
	if (deadlocks->snapshot.outside)
		return LATE_NS;
	late = least * (deadlocks->snapshot.threads.count < CROWD ? LATE_SHARE : CROWD_SHARE);
	return late < LATE_NS ? LATE_NS : late > LATEST_NS ? LATEST_NS : late;
}

void deadlocks_look(struct deadlocks *deadlocks, uint64_t now_ns)
{
	uint64_t before;

	if (now_ns < deadlocks->next_ns)
		return;
	before = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	snapshot_take(&deadlocks->snapshot, now_ns);
	hopeless_look_ends(deadlocks);
	mark_explained(deadlocks);
	waits_find(&deadlocks->waits, &deadlocks->snapshot);
	if (deadlocks->snapshot.outside)
		forked_waits_state(deadlocks);
	else
		forked_waits_prove(deadlocks);
	solve(deadlocks, UINT64_MAX, has_news);
	state_cycles(deadlocks);
	dead_owners_find(&deadlocks->dead_owners, &deadlocks->graph, &deadlocks->waits, state_loss,
			 deadlocks);
	state_dead_ends(deadlocks);
	hopeless_find(deadlocks, state_loss);
	missing_ranks_state(deadlocks);
	long_waits_state(deadlocks, now_ns);
	final_state_look(deadlocks);
	blind_spots_record(deadlocks);
	kept_end();
	deadlocks->next_ns =
		now_ns + pause_after(deadlocks, clock_ns(CLOCK_PROCESS_CPUTIME_ID) - before);
}
