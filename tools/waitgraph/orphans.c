/* SPDX-License-Identifier: Apache-2.0 */
/* Finds processes whose parent has ended, and deadlocks that this explains. */
#include "orphans.h"

#include "../facts/processes.h"
#include "../proc/calls.h"

/* ---- processes ---- */

/* Its end may be newer than the last check of living processes. */
static bool has_ended(const struct reader *reader, uint32_t slot)
{
	return reader->processes[slot].gone || session_liveness(&reader->session, slot) == GONE;
}

/* A parent that is not watched is identified by its pid. */
static bool is_orphan(const struct reader *reader, uint32_t slot)
{
	uint32_t parent = reader->session.table[process_born_as(&reader->facts, slot)].parent_pid;
	struct proc_stat stat = proc_stat(parent, parent);

	return parent && (!stat.state || proc_stat_ended(&stat));
}

/* Whether it was forked from its parent and did not exec. */
static bool is_part(const struct reader *reader, uint32_t slot)
{
	return process_is_worker(&reader->facts, slot) ||
	       role_text(role_of(&reader->session.table[slot]));
}

/* Whether the parent's end leaves this process behind; not so for launchers and double forks. */
static bool is_left_by(const struct reader *reader, uint32_t slot, uint32_t parent)
{
	const struct facts *facts = &reader->facts;

	if (!has_ended(reader, parent) || process_leaves_on_purpose(facts, parent))
		return false;
	if (reader->session.table[parent].end != MPSAN_END_EXIT || is_part(reader, slot))
		return true;
	return process_parent(facts, parent) == FACT_NONE && !process_is_apart(facts, slot);
}

bool was_orphaned(const struct reader *reader, uint32_t slot)
{
	for (uint32_t i = 0; i < reader->session.slots; i++) {
		uint32_t parent = process_parent(&reader->facts, slot);

		if (parent == FACT_NONE)
			return is_orphan(reader, slot);
		if (is_left_by(reader, slot, parent))
			return true;
		slot = parent;
	}
	return false;
}

/* ---- failed children ---- */

#define CLOSE_NS 2000000000ull
#define LEVELS 8u /* of processes, between the shell and who waits */

static bool has_failed(const struct facts *facts, uint32_t slot)
{
	return process_failed_unasked(facts, slot) && !process_was_ended_by_another(facts, slot);
}

/* The child of a process that failed then; FACT_NONE: none did, or another child lives than `own`. */
static uint32_t failed_child(const struct reader *reader, uint32_t parent, uint32_t own,
			     uint64_t from_ns, uint64_t to_ns)
{
	uint32_t found = FACT_NONE;

	READER_EACH_SLOT(reader, slot) {
		if (process_parent(&reader->facts, slot) != parent || slot == own ||
		    role_text(role_of(&reader->session.table[slot])))
			continue;
		if (!reader->processes[slot].gone)
			return FACT_NONE;
		if (reader->processes[slot].gone_ns + CLOSE_NS > from_ns &&
		    reader->processes[slot].gone_ns < to_ns && has_failed(&reader->facts, slot))
			found = slot;
	}
	return found;
}

uint32_t orphans_fifo_lacks(const struct snapshot *snapshot, const struct snapshot_thread *thread)
{
	const struct reader *reader = snapshot->reader;
	uint32_t found = FACT_NONE, own = FACT_NONE, slot = thread->slot;

	for (unsigned i = 0; i < LEVELS && slot != FACT_NONE && found == FACT_NONE; i++) {
		found = failed_child(reader, slot, own, thread->still_ns, UINT64_MAX);
		own = slot;
		slot = process_parent(&reader->facts, slot);
	}
	return found != FACT_NONE && process_is_job(&reader->facts, found) ? found : FACT_NONE;
}

uint32_t orphans_wait_lacks(const struct waits *waits, uint32_t thread)
{
	const struct snapshot_thread *waiter = &waits->snapshot->threads.item[thread];

	if (waits->item.item[thread].kind == MPSAN_WAIT_FIFO)
		return orphans_fifo_lacks(waits->snapshot, waiter);
	return call_is_poll(&waiter->call) && !call_has_limit(&waiter->call) ?
		       failed_child(waits->snapshot->reader, waiter->slot, FACT_NONE,
				    waiter->still_ns, waiter->still_ns + CLOSE_NS) :
		       FACT_NONE;
}

uint32_t orphans_job_lacks(const struct waits *waits, uint32_t *head)
{
	const struct snapshot *snapshot = waits->snapshot;
	uint32_t lost = orphans_wait_lacks(waits, *head), parent = FACT_NONE;

	for (uint32_t i = 0; i < snapshot->threads.count && lost == FACT_NONE; i++) {
		if (waits->item.item[i].kind != MPSAN_WAIT_FIFO)
			continue;
		lost = orphans_wait_lacks(waits, i);
		parent = lost == FACT_NONE ? lost : process_parent(&snapshot->reader->facts, lost);
	}
	for (uint32_t i = 0; i < snapshot->threads.count && parent != FACT_NONE; i++)
		if (snapshot->threads.item[i].slot == parent)
			*head = i;
	return lost;
}

uint32_t orphans_nap_lacks(const struct snapshot *snapshot, const struct snapshot_thread *thread)
{
	return failed_child(snapshot->reader, thread->slot, FACT_NONE, thread->same_ns, UINT64_MAX);
}

/* ---- groups ---- */

static const struct snapshot_thread *thread_of(const struct graph *graph, uint32_t index)
{
	return &graph->waits->snapshot->threads.item[index];
}

/* Killed processes may have kept anything: no other process can be blamed. */
static bool was_killed_together(const struct graph *graph, uint32_t slot)
{
	return process_was_struck(&graph->waits->snapshot->reader->facts, slot);
}

static bool asks_others(const struct graph *graph, uint32_t index)
{
	const struct wait *wait = &graph->waits->item.item[index];

	if (wait->end == WAIT_NOBODY)
		return wait->flags & MPSAN_LF_SHARED && wait->gone_slot &&
		       was_killed_together(graph, wait->gone_slot - 1);
	return wait->end == WAIT_PROCESSES && wait->kind != MPSAN_WAIT_PROCESS &&
	       thread_of(graph, index)->object.is_shared;
}

bool orphans_explain_group(const struct graph *graph, uint32_t group)
{
	bool asks = false;

	for (uint32_t i = 0; i < graph->solved.count && !asks; i++)
		asks = graph->solved.group[i] == group && asks_others(graph, i);
	for (uint32_t i = 0; i < graph->solved.count && asks; i++)
		if (graph->solved.group[i] == group &&
		    !was_orphaned(graph->waits->snapshot->reader, thread_of(graph, i)->slot))
			return false;
	return asks;
}

bool orphans_explains_cycle(const struct graph *graph, uint32_t thread)
{
	uint32_t at = thread;

	do {
		if (graph->waits->item.item[at].end != WAIT_OWNERS)
			return orphans_explain_group(graph, graph->solved.group[thread]);
		at = graph->solved.next[at];
	} while (at != thread);
	return false;
}

bool orphans_explains_loss(const struct graph *graph, uint32_t thread, uint32_t dead_slot)
{
	return was_killed_together(graph, dead_slot) &&
	       was_orphaned(graph->waits->snapshot->reader, thread_of(graph, thread)->slot);
}
