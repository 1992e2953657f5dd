/* See growth.h. */
#include "growth.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define INHERITED_BYTES (32ull << 20)
#define STATED_BYTES (1ull << 20)
#define SHRUNK_BYTES (4ull << 20) /* by so much a parent's memory may vary */
#define COUNT_NS 1500000000ull /* between two counts of one worker, at least */
#define SHARE 600u /* counting takes at most one part in this many of the time */

void growth_init(struct growth *growth, const struct crowd *crowd)
{
	*growth = (struct growth){.crowd = crowd};
	growth->known = memory_get(crowd->reader->session.slots * sizeof(*growth->known));
}

/* Resident memory that belongs to no file, in bytes; 0: not known. Costs next to nothing. */
static uint64_t anonymous(uint32_t pid)
{
	unsigned long long resident, shared;
	char path[32];
	FILE *file;
	int got;

	snprintf(path, sizeof(path), "/proc/%u/statm", pid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	got = fscanf(file, "%*u %llu %llu", &resident, &shared);
	fclose(file);
	return got == 2 && resident > shared ? (resident - shared) * (uint64_t)getpagesize() : 0;
}

/* Private memory that was written to, by the kernel's count over all pages; 0: not known. */
static uint64_t private_dirty(uint32_t pid)
{
	char path[40], line[160];
	unsigned long long kib = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%u/smaps_rollup", pid);
	file = fopen(path, "re");
	while (file && !kib && fgets(line, sizeof(line), file))
		if (sscanf(line, "Private_Dirty: %llu", &kib) == 1)
			break;
	if (file)
		fclose(file);
	return kib << 10;
}

static uint32_t pid_of(const struct growth *growth, uint32_t slot)
{
	return growth->crowd->reader->session.table[slot].pid;
}

/*
 * At the fork a child has what its parent has. When it is first seen, the smaller of the two is nearest to
 * that, since either may have taken more since.
 */
static void begin(struct growth *growth, uint32_t slot)
{
	uint32_t parent = growth->crowd->member[slot].parent;
	uint64_t own = anonymous(pid_of(growth, slot)), parents;

	growth->known[slot] = true;
	if (own < INHERITED_BYTES || parent == FACT_NONE)
		return;
	parents = anonymous(pid_of(growth, parent));
	if (parents < INHERITED_BYTES || growth->crowd->reader->processes[parent].gone)
		return;
	*ARRAY_ADD(&growth->children) =
		(struct growth_child){.slot = slot,
				      .parent = parent,
				      .inherited = own < parents ? own : parents,
				      .parents = parents,
				      .first_ns = growth->crowd->census->now_ns};
}

/* What its parent gives back becomes the worker's alone without a copy: then nothing can be said. */
static void count(struct growth *growth, struct growth_child *child)
{
	const struct reader *reader = growth->crowd->reader;
	uint64_t dirty = private_dirty(pid_of(growth, child->slot)),
		 own = anonymous(pid_of(growth, child->slot)),
		 parents = anonymous(pid_of(growth, child->parent)), grown, copied;

	child->last_ns = growth->crowd->census->now_ns;
	if (!dirty || !own || reader->processes[child->parent].gone ||
	    parents + SHRUNK_BYTES < child->parents)
		return;
	grown = own > child->inherited ? own - child->inherited : 0;
	copied = dirty > grown ? dirty - grown : 0;
	child->copied = copied < child->inherited ? copied : child->inherited;
	child->resident = own;
}

static struct growth_child *whose_turn(struct growth *growth)
{
	uint64_t now_ns = growth->crowd->census->now_ns;

	for (uint32_t i = 0; i < growth->children.count; i++) {
		uint32_t at = growth->turn++ % growth->children.count;
		struct growth_child *child = &growth->children.item[at];
		uint64_t since = child->last_ns ? child->last_ns : child->first_ns;

		if (!growth->crowd->reader->processes[child->slot].gone &&
		    now_ns >= since + COUNT_NS)
			return child;
	}
	return NULL;
}

static bool is_forked_worker(const struct growth *growth, uint32_t slot)
{
	return growth->crowd->member[slot].worker &&
	       fact_how_copies(growth->crowd->reader->session.table[slot].how);
}

void growth_look(struct growth *growth)
{
	uint64_t begun = clock_ns(CLOCK_MONOTONIC), now_ns = begun;
	struct growth_child *child;

	CROWD_EACH(growth->crowd, slot)
	if (!growth->known[slot] && is_forked_worker(growth, slot))
		begin(growth, slot);
	if (begun < growth->next_ns)
		return;
	while (now_ns - begun < 1000000 && (child = whose_turn(growth))) {
		count(growth, child);
		now_ns = clock_ns(CLOCK_MONOTONIC);
	}
	growth->next_ns = now_ns + (now_ns - begun) * SHARE;
}

static bool said_it_itself(const struct growth *growth, uint32_t slot)
{
	return fact_act_of(&growth->crowd->reader->facts, slot, EV_growth, FACT_NONE) != FACT_NONE;
}

void growth_finish(struct growth *growth, struct watchlog *log)
{
	for (uint32_t i = 0; i < growth->children.count; i++) {
		const struct growth_child *child = &growth->children.item[i];
		struct ev_growth event = {.copied = child->copied,
					  .resident = child->resident,
					  .inherited = child->inherited,
					  .lasted = child->last_ns - child->first_ns};

		if (child->copied >= STATED_BYTES && !said_it_itself(growth, child->slot))
			watchlog_put(log, EV_growth, child->slot, pid_of(growth, child->slot),
				     &event, sizeof(event));
	}
	free(growth->children.item);
	free(growth->known);
	*growth = (struct growth){0};
}
