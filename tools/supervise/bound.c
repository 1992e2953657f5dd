/* See bound.h. */
#include "bound.h"

#include <stdlib.h>

#include "quota.h"

#define BUSY_NS 1000000000ull /* a worker that has work */
#define WORKERS_MIN 3u /* fewer may be one pair that somebody put together */
#define SIBLING_NS 500000000ull /* one beside it */

void bound_init(struct bound *bound, const struct crowd *crowd)
{
	cpu_set_t own;

	*bound = (struct bound){.crowd = crowd};
	bound->told = memory_get(crowd->reader->session.slots * sizeof(*bound->told));
	CPU_ZERO(&own);
	quota_add_affinity(0, &own);
	bound->processors = (uint32_t)CPU_COUNT(&own);
}

void bound_finish(struct bound *bound)
{
	free(bound->told);
	*bound = (struct bound){0};
}

static bool is_copy(const struct bound *bound, uint32_t slot)
{
	return bound->crowd->member[slot].worker &&
	       bound->crowd->member[slot].parent != FACT_NONE &&
	       fact_how_copies(bound->crowd->reader->session.table[slot].how);
}

static bool has_affinity(const struct bound *bound, uint32_t slot, const cpu_set_t *wanted)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	return quota_add_affinity(bound->crowd->reader->session.table[slot].pid, &set) &&
	       CPU_EQUAL(&set, wanted);
}

static uint32_t count_workers(const struct bound *bound, uint32_t parent, const cpu_set_t *set)
{
	uint32_t count = 0;

	CROWD_EACH(bound->crowd, slot)
		count += is_copy(bound, slot) && bound->crowd->member[slot].parent == parent &&
			 bound->crowd->member[slot].total_ns >= SIBLING_NS &&
			 has_affinity(bound, slot, set);
	return count;
}

static void look_at(struct bound *bound, struct watchlog *log, uint32_t slot)
{
	const struct mpsan_process *table = bound->crowd->reader->session.table;
	const struct crowd_member *member = &bound->crowd->member[slot];
	struct ev_bound event = {.parent_slot = member->parent + 1, .busy = member->total_ns};
	cpu_set_t set;

	CPU_ZERO(&set);
	if (!quota_add_affinity(table[slot].pid, &set) || CPU_COUNT(&set) != 1 ||
	    !has_affinity(bound, member->parent, &set))
		return;
	event.processors = 1;
	event.siblings = count_workers(bound, member->parent, &set);
	if (event.siblings < WORKERS_MIN)
		return;
	event.siblings--; /* those beside it */
	bound->told[member->parent] = true;
	watchlog_put(log, EV_bound, slot, table[slot].pid, &event, sizeof(event));
}

void bound_look(struct bound *bound, struct watchlog *log)
{
	if (bound->processors < 2)
		return;
	CROWD_EACH(bound->crowd, slot)
		if (is_copy(bound, slot) && bound->crowd->member[slot].total_ns >= BUSY_NS &&
		    !bound->told[bound->crowd->member[slot].parent])
			look_at(bound, log, slot);
}
