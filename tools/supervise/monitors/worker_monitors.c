/* SPDX-License-Identifier: Apache-2.0 */
/* Runs all monitors on each new snapshot. */
#include "worker_monitors.h"

#include "../../facts/processes.h"

void monitors_init(struct monitors *monitors, struct deadlocks *deadlocks)
{
	*monitors = (struct monitors){.deadlocks = deadlocks};
	worker_table_init(&monitors->workers, deadlocks->reader, &deadlocks->snapshot);
	mon_cpu_init(&monitors->mon_cpu, &monitors->workers);
	mon_affinity_init(&monitors->mon_affinity, &monitors->workers);
	mon_cow_init(&monitors->mon_cow, &monitors->workers);
	mon_failures_init(&monitors->mon_failures, &monitors->workers, deadlocks);
	mon_last_seen_init(&monitors->mon_last_seen, deadlocks->reader);
	mon_unread_init(&monitors->mon_unread, &deadlocks->snapshot);
}

void monitors_look(struct monitors *monitors)
{
	struct watchlog *log = &monitors->deadlocks->log;

	if (monitors->seen_ns == monitors->deadlocks->snapshot.now_ns)
		return;
	monitors->seen_ns = monitors->deadlocks->snapshot.now_ns;
	worker_table_take(&monitors->workers);
	mon_cpu_look(&monitors->mon_cpu);
	mon_affinity_look(&monitors->mon_affinity, log);
	mon_cow_look(&monitors->mon_cow);
	mon_failures_look(&monitors->mon_failures, log);
	mon_last_seen_look(&monitors->mon_last_seen, log);
	mon_unread_look(&monitors->mon_unread, log);
}

void monitors_finish(struct monitors *monitors)
{
	struct watchlog *log = &monitors->deadlocks->log;

	mon_cpu_finish(&monitors->mon_cpu, log);
	mon_cow_finish(&monitors->mon_cow, log);
	mon_affinity_finish(&monitors->mon_affinity);
	mon_failures_finish(&monitors->mon_failures);
	mon_last_seen_finish(&monitors->mon_last_seen, log);
	mon_unread_finish(&monitors->mon_unread);
	worker_table_finish(&monitors->workers);
}

#define BIRTH_NS 300000000ull /* a child registers itself within this time after its fork */

static bool awaits_birth(const struct reader *reader)
{
	const struct facts *facts = &reader->facts;

	for (uint32_t i = facts->fork_count;
	     i-- > 0 && facts->forks[i].at.time_ns + BIRTH_NS > reader->now_ns;)
		if (facts->forks[i].child == FACT_NONE && fact_how_copies(facts->forks[i].ev.how))
			return true;
	return false;
}

bool monitors_are_open(const struct reader *reader)
{
	if (awaits_birth(reader))
		return true;
	READER_EACH_SLOT(reader, slot) {
		uint64_t left_ns =
			reader->processes[slot].gone ? 0 : process_left_ns(&reader->facts, slot);

		if (left_ns && reader->now_ns <= left_ns)
			return true;
	}
	return false;
}
