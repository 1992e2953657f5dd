/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the memory that forked workers copied (copy-on-write). */
#include "mon_cow.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "../../../shim/common/pages.h"
#include "../../base/util.h"
#include "../../facts/processes.h"
#include "../../proc/proc.h"

#define INHERITED_BYTES (32ull << 20)
#define STATED_BYTES (1ull << 20)
#define GIVEN_BYTES (16ull << 20) /* page faults below this are not worth counting */
#define COUNT_NS 1500000000ull /* minimum between two counts of one worker */
#define SHARE 600u /* counting takes at most 1/600 of the time */

void mon_cow_init(struct mon_cow *mon_cow, const struct workers *workers)
{
	*mon_cow = (struct mon_cow){.workers = workers};
	mon_cow->known = memory_get(workers->reader->session.slots * sizeof(*mon_cow->known));
}

static FILE *open_of(uint32_t pid, const char *what)
{
	char path[40];

	snprintf(path, sizeof(path), "/proc/%u/%s", pid, what);
	return fopen(path, "re");
}

/* Resident anonymous memory in bytes; 0: unknown. Cheap. */
static uint64_t anonymous(uint32_t pid)
{
	AUTO_CLOSE FILE *file = open_of(pid, "statm");
	char line[160] = "";
	bool got = file && fgets(line, sizeof(line), file);

	return got ? pages_anonymous(line) : 0;
}

/* Bytes that page faults have allocated to the process since its fork. */
static uint64_t given(uint32_t pid)
{
	return proc_stat_all(pid).faults * PAGES_BYTES;
}

/* Reads the kernel's exact count, which visits all pages. */
static bool read_pages(uint32_t pid, struct pages *pages)
{
	AUTO_CLOSE FILE *file = open_of(pid, "smaps");
	char text[16384];
	size_t bytes, all = 0;

	*pages = (struct pages){0};
	for (; file && (bytes = fread(text, 1, sizeof(text), file)) > 0; all += bytes)
		pages_read(pages, text, bytes);
	pages_read(pages, NULL, 0);
	return all;
}

static uint32_t mon_cow_pid_of(const struct mon_cow *mon_cow, uint32_t slot)
{
	return session_pid(&mon_cow->workers->reader->session, slot);
}

/* The slot of the process that forked it: for a fork server's child, the server. */
static uint32_t maker_of(const struct mon_cow *mon_cow, uint32_t slot)
{
	const struct reader *reader = mon_cow->workers->reader;
	uint32_t maker = reader->session.table[slot].parent;

	return maker && maker <= reader->facts.process_count ? maker - 1 : FACT_NONE;
}

/*
 * At the fork a child has its parent's memory. When it is first seen, the smaller of both sizes is
 * the best estimate, as either may have grown; and it cannot exceed what is still shared plus what
 * the child has allocated instead.
 */
static void mon_cow_begin(struct mon_cow *mon_cow, uint32_t slot)
{
	uint32_t pid = mon_cow_pid_of(mon_cow, slot), maker = maker_of(mon_cow, slot);
	uint64_t own = anonymous(pid), makers, most;
	struct pages pages;

	mon_cow->known[slot] = true;
	if (own < INHERITED_BYTES || maker == FACT_NONE)
		return;
	makers = anonymous(mon_cow_pid_of(mon_cow, maker));
	if (makers < INHERITED_BYTES || mon_cow->workers->reader->processes[maker].gone ||
	    !read_pages(pid, &pages))
		return;
	most = pages.common + given(pid);
	most = most < own ? most : own;
	*ARRAY_ADD(&mon_cow->children) =
		(struct mon_cow_child){.slot = slot,
				       .maker = maker,
				       .inherited = most < makers ? most : makers,
				       .first_ns = mon_cow->workers->snapshot->now_ns};
}

/*
 * Pages that the parent frees become the worker's alone without a copy: once the parent has ended,
 * nothing can be concluded.
 */
static void mon_cow_count(struct mon_cow *mon_cow, struct mon_cow_child *child)
{
	uint32_t pid = mon_cow_pid_of(mon_cow, child->slot);
	struct pages_bounds bounds = {.inherited = child->inherited,
				      .given = given(pid),
				      .parents = anonymous(mon_cow_pid_of(mon_cow, child->maker))};
	struct pages pages;

	child->last_ns = mon_cow->workers->snapshot->now_ns;
	if (bounds.given < GIVEN_BYTES || !read_pages(pid, &pages) ||
	    mon_cow->workers->reader->processes[child->maker].gone)
		return;
	child->before = child->copied;
	child->copied = pages_copied(&pages, &bounds);
	child->resident = anonymous(pid);
}

static struct mon_cow_child *whose_turn(struct mon_cow *mon_cow)
{
	uint64_t now_ns = mon_cow->workers->snapshot->now_ns;

	for (uint32_t i = 0; i < mon_cow->children.count; i++) {
		uint32_t at = mon_cow->turn++ % mon_cow->children.count;
		struct mon_cow_child *child = &mon_cow->children.item[at];
		uint64_t since = child->last_ns ? child->last_ns : child->first_ns;

		if (!mon_cow->workers->reader->processes[child->slot].gone &&
		    now_ns >= since + COUNT_NS)
			return child;
	}
	return NULL;
}

static bool is_forked_worker(const struct mon_cow *mon_cow, uint32_t slot)
{
	return mon_cow->workers->member[slot].worker &&
	       fact_how_copies(mon_cow->workers->reader->session.table[slot].how);
}

void mon_cow_look(struct mon_cow *mon_cow)
{
	uint64_t begun = clock_ns(CLOCK_MONOTONIC), now_ns = begun;
	struct mon_cow_child *child;

	WORKERS_EACH(mon_cow->workers, slot)
		if (!mon_cow->known[slot] && is_forked_worker(mon_cow, slot))
			mon_cow_begin(mon_cow, slot);
	if (begun < mon_cow->next_ns)
		return;
	while (now_ns - begun < 1000000 && (child = whose_turn(mon_cow))) {
		mon_cow_count(mon_cow, child);
		now_ns = clock_ns(CLOCK_MONOTONIC);
	}
	mon_cow->next_ns = now_ns + (now_ns - begun) * SHARE;
}

static bool said_it_itself(const struct mon_cow *mon_cow, uint32_t slot)
{
	const struct facts *facts = &mon_cow->workers->reader->facts;

	return fact_event_of(facts, slot, EV_growth, FACT_NONE) != FACT_NONE ||
	       fact_event_of(facts, slot, EV_growth_end, FACT_NONE) != FACT_NONE;
}

/*
 * For a worker that ends by itself, the last count may include copies made by interpreter shutdown.
 */
static uint64_t while_it_worked(const struct mon_cow *mon_cow, const struct mon_cow_child *child)
{
	const struct facts *facts = &mon_cow->workers->reader->facts;

	return !facts->processes[child->slot].gone || process_was_killed(facts, child->slot) ?
		       child->copied :
		       child->before;
}

void mon_cow_finish(struct mon_cow *mon_cow, struct watchlog *log)
{
	for (uint32_t i = 0; i < mon_cow->children.count; i++) {
		const struct mon_cow_child *child = &mon_cow->children.item[i];
		struct ev_growth event = {.copied = while_it_worked(mon_cow, child),
					  .resident = child->resident,
					  .inherited = child->inherited,
					  .lasted = child->last_ns - child->first_ns};

		if (event.copied >= STATED_BYTES && !said_it_itself(mon_cow, child->slot))
			watchlog_put(log, EV_growth, child->slot,
				     mon_cow->workers->reader->session.table[child->slot].pid,
				     &event, sizeof(event));
	}
	free(mon_cow->children.item);
	free(mon_cow->known);
	*mon_cow = (struct mon_cow){0};
}
