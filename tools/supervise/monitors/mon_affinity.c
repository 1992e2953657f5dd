/* SPDX-License-Identifier: Apache-2.0 */
/* Detects workers that are all bound to one processor. */
#include "mon_affinity.h"

#include <stdlib.h>

#include "quota.h"

#define BUSY_NS 1000000000ull /* a busy worker */
#define WORKERS_MIN 3u /* fewer may be bound deliberately */
#define SIBLING_NS 500000000ull /* a busy sibling */

void mon_affinity_init(struct mon_affinity *mon_affinity, const struct workers *workers)
{
	cpu_set_t own;

	*mon_affinity = (struct mon_affinity){.workers = workers};
	mon_affinity->told =
		memory_get(workers->reader->session.slots * sizeof(*mon_affinity->told));
	mon_affinity->free_ns =
		memory_get(workers->reader->session.slots * sizeof(*mon_affinity->free_ns));
	CPU_ZERO(&own);
	quota_add_affinity(0, &own);
	mon_affinity->processors = (uint32_t)CPU_COUNT(&own);
}

void mon_affinity_finish(struct mon_affinity *mon_affinity)
{
	free(mon_affinity->told);
	free(mon_affinity->free_ns);
	*mon_affinity = (struct mon_affinity){0};
}

static bool is_copy(const struct mon_affinity *mon_affinity, uint32_t slot)
{
	return mon_affinity->workers->member[slot].worker &&
	       mon_affinity->workers->member[slot].parent != FACT_NONE &&
	       fact_how_copies(mon_affinity->workers->reader->session.table[slot].how);
}

static bool has_affinity(const struct mon_affinity *mon_affinity, uint32_t slot,
			 const cpu_set_t *wanted)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	return quota_add_affinity(session_pid(&mon_affinity->workers->reader->session, slot),
				  &set) &&
	       CPU_EQUAL(&set, wanted);
}

static uint32_t count_workers(const struct mon_affinity *mon_affinity, uint32_t parent,
			      const cpu_set_t *set)
{
	uint32_t count = 0;

	WORKERS_EACH(mon_affinity->workers, slot)
		count += is_copy(mon_affinity, slot) &&
			 mon_affinity->workers->member[slot].parent == parent &&
			 mon_affinity->workers->member[slot].total_ns >= SIBLING_NS &&
			 has_affinity(mon_affinity, slot, set);
	return count;
}

static void mon_affinity_look_at(struct mon_affinity *mon_affinity, struct watchlog *log,
				 uint32_t slot)
{
	const struct mpsan_process *table = mon_affinity->workers->reader->session.table;
	const struct worker *member = &mon_affinity->workers->member[slot];
	struct ev_bound event = {.parent_slot = member->parent + 1, .busy = member->total_ns};
	cpu_set_t set;

	if (member->total_ns < 2 * mon_affinity->free_ns[slot])
		return;
	CPU_ZERO(&set);
	if (quota_add_affinity(session_pid(&mon_affinity->workers->reader->session, slot), &set) &&
	    CPU_COUNT(&set) != 1)
		mon_affinity->free_ns[slot] = member->total_ns;
	if (CPU_COUNT(&set) != 1 || !has_affinity(mon_affinity, member->parent, &set))
		return;
	event.processors = 1;
	event.siblings = count_workers(mon_affinity, member->parent, &set);
	if (event.siblings < WORKERS_MIN)
		return;
	event.siblings--; /* the siblings */
	mon_affinity->told[member->parent] = true;
	watchlog_put(log, EV_bound, slot, table[slot].pid, &event, sizeof(event));
}

void mon_affinity_look(struct mon_affinity *mon_affinity, struct watchlog *log)
{
	if (mon_affinity->processors < 2)
		return;
	WORKERS_EACH(mon_affinity->workers, slot)
		if (is_copy(mon_affinity, slot) &&
		    mon_affinity->workers->member[slot].total_ns >= BUSY_NS &&
		    !mon_affinity->told[mon_affinity->workers->member[slot].parent])
			mon_affinity_look_at(mon_affinity, log, slot);
}
