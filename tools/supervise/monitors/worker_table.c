/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps what is known of each process across snapshots. */
#include "worker_table.h"

#include <stdlib.h>

#include "../../facts/processes.h"

#define LOOKS_UNSURE 3 /* a slot is claimed before it is filled in */

void worker_table_init(struct workers *workers, const struct reader *reader,
		       const struct snapshot *snapshot)
{
	*workers = (struct workers){.reader = reader, .snapshot = snapshot};
	workers->member = memory_get(reader->session.slots * sizeof(*workers->member));
}

void worker_table_finish(struct workers *workers)
{
	free(workers->member);
	*workers = (struct workers){0};
}

/* Searches command lines, so only while the answer may change. */
static void look_up(const struct workers *workers, uint32_t slot, struct worker *member)
{
	const struct mpsan_process *process = &workers->reader->session.table[slot];

	if (member->looks >= LOOKS_UNSURE && member->flags == process->flags &&
	    member->exec_ns == process->exec_ns)
		return;
	member->looks += member->looks < LOOKS_UNSURE;
	member->flags = process->flags;
	member->exec_ns = process->exec_ns;
	member->worker = process_is_worker(&workers->reader->facts, slot);
	member->python = process_is_python_worker(&workers->reader->facts, slot);
	member->parent = process_parent(&workers->reader->facts, slot);
}

/* A thread that is new in this snapshot may be older than the previous one. */
uint64_t worker_table_busy_ns(const struct snapshot *snapshot, uint32_t thread)
{
	const struct proc_time *lately = &snapshot->threads.item[thread].lately;
	uint64_t busy_ns = lately->ran_ns + lately->waited_ns;

	return busy_ns < snapshot->passed_ns ? busy_ns : snapshot->passed_ns;
}

static void sum_up(const struct workers *workers, const struct snapshot_process *process,
		   struct worker *member)
{
	const struct snapshot *snapshot = workers->snapshot;

	member->threads = process->end - process->begin;
	member->busy_ns = member->ran_ns = 0;
	for (uint32_t i = process->begin; i < process->end; i++) {
		member->busy_ns += worker_table_busy_ns(snapshot, i);
		member->ran_ns += snapshot->threads.item[i].lately.ran_ns;
	}
	member->total_ns += member->busy_ns;
	member->total_ran_ns += member->ran_ns;
}

void worker_table_take(struct workers *workers)
{
	for (uint32_t i = 0; i < workers->snapshot->processes.count; i++) {
		const struct snapshot_process *process = &workers->snapshot->processes.item[i];
		struct worker *member = &workers->member[process->slot];

		look_up(workers, process->slot, member);
		sum_up(workers, process, member);
	}
}
