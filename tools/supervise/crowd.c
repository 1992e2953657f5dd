/* See crowd.h. */
#include "crowd.h"

#include <stdlib.h>

#include "../facts/people.h"

#define LOOKS_UNSURE 3 /* a slot is claimed before it is filled in */

void crowd_init(struct crowd *crowd, const struct reader *reader, const struct census *census)
{
	*crowd = (struct crowd){.reader = reader, .census = census};
	crowd->member = memory_get(reader->session.slots * sizeof(*crowd->member));
}

void crowd_finish(struct crowd *crowd)
{
	free(crowd->member);
	*crowd = (struct crowd){0};
}

/* Command lines are searched for this: only while the answer may change. */
static void look_up(const struct crowd *crowd, uint32_t slot, struct crowd_member *member)
{
	const struct mpsan_process *process = &crowd->reader->session.table[slot];

	if (member->looks >= LOOKS_UNSURE && member->flags == process->flags &&
	    member->exec_ns == process->exec_ns)
		return;
	member->looks += member->looks < LOOKS_UNSURE;
	member->flags = process->flags;
	member->exec_ns = process->exec_ns;
	member->worker = people_is_worker(&crowd->reader->facts, slot);
	member->python = people_is_python_worker(&crowd->reader->facts, slot);
	member->parent = people_parent(&crowd->reader->facts, slot);
}

/* A thread that was not seen before may be older than the last look. */
uint64_t crowd_busy_ns(const struct census *census, uint32_t thread)
{
	const struct proc_time *lately = &census->threads.item[thread].lately;
	uint64_t busy_ns = lately->ran_ns + lately->waited_ns;

	return busy_ns < census->passed_ns ? busy_ns : census->passed_ns;
}

static void sum_up(const struct crowd *crowd, const struct census_process *process,
		   struct crowd_member *member)
{
	const struct census *census = crowd->census;

	member->threads = process->end - process->begin;
	member->busy_ns = member->ran_ns = 0;
	for (uint32_t i = process->begin; i < process->end; i++) {
		member->busy_ns += crowd_busy_ns(census, i);
		member->ran_ns += census->threads.item[i].lately.ran_ns;
	}
	member->total_ns += member->busy_ns;
}

void crowd_take(struct crowd *crowd)
{
	for (uint32_t i = 0; i < crowd->census->processes.count; i++) {
		const struct census_process *process = &crowd->census->processes.item[i];
		struct crowd_member *member = &crowd->member[process->slot];

		look_up(crowd, process->slot, member);
		sum_up(crowd, process, member);
	}
}
