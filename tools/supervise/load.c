/* See load.h. */
#include "load.h"

#include <stdlib.h>

#include "../story/names_process.h"
#include "quota.h"

#define SPAN_NS 2000000000ull /* it must have lasted */
#define NAMED_MAX 4u

void load_init(struct load *load, const struct crowd *crowd)
{
	*load = (struct load){.crowd = crowd, .quota = quota_processors()};
}

/* ---- one look ---- */

/*
 * Programs of one thread each, as make starts them, are somebody's decision; workers and processes with
 * thread pools are what is asked about.
 */
static bool counts(const struct crowd *crowd, uint32_t slot)
{
	return crowd->member[slot].worker || crowd->member[slot].threads > 1;
}

struct sight {
	uint64_t busy_ns, ran_ns;
	uint32_t processes, threads; /* that ran for a good part of the time */
	uint32_t processors;
	uint32_t workers, employer; /* most workers of one parent */
};

static uint32_t processors_of(const struct load *load)
{
	const struct crowd *crowd = load->crowd;
	uint32_t count;
	cpu_set_t set;

	CPU_ZERO(&set);
	CROWD_EACH(crowd, slot)
		if (counts(crowd, slot))
			quota_add_affinity(crowd->reader->session.table[slot].pid, &set);
	count = (uint32_t)CPU_COUNT(&set);
	count = count < load->quota ? count : load->quota;
	return count ? count : 1;
}

static bool is_busy(const struct census *census, uint64_t busy_ns)
{
	return busy_ns > census->passed_ns / 4;
}

static uint32_t busy_threads(const struct census *census, const struct census_process *process)
{
	uint32_t count = 0;

	for (uint32_t i = process->begin; i < process->end; i++)
		count += is_busy(census, crowd_busy_ns(census, i));
	return count;
}

static int compare_numbers(const void *one, const void *other)
{
	uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)other;

	return a < b ? -1 : a > b;
}

static void find_employer(const struct crowd *crowd, struct sight *sight)
{
	ARRAY(uint32_t) parents = {0};
	uint32_t run = 0;

	CROWD_EACH(crowd, slot)
		if (crowd->member[slot].python && crowd->member[slot].parent != FACT_NONE)
			*ARRAY_ADD(&parents) = crowd->member[slot].parent;
	if (parents.count)
		qsort(parents.item, parents.count, sizeof(uint32_t), compare_numbers);
	for (uint32_t i = 0; i < parents.count; i++) {
		run = i && parents.item[i] == parents.item[i - 1] ? run + 1 : 1;
		if (run > sight->workers) {
			sight->workers = run;
			sight->employer = parents.item[i];
		}
	}
	free(parents.item);
}

static struct sight see(const struct load *load)
{
	const struct crowd *crowd = load->crowd;
	const struct census *census = crowd->census;
	struct sight sight = {0};

	for (uint32_t i = 0; i < census->processes.count; i++) {
		const struct census_process *process = &census->processes.item[i];
		uint32_t slot = process->slot, threads = busy_threads(census, process);

		if (!counts(crowd, slot))
			continue;
		sight.busy_ns += crowd->member[slot].busy_ns;
		sight.ran_ns += crowd->member[slot].ran_ns;
		sight.processes += threads != 0;
		sight.threads += threads;
	}
	find_employer(crowd, &sight);
	if (sight.busy_ns > census->passed_ns || sight.workers > 1)
		sight.processors = processors_of(load);
	return sight;
}

/* Who wants how much: "Process-1 (pid 7): 4 threads, process 9: 3 threads and 2 more processes". */
static char *detail_of(const struct crowd *crowd)
{
	char *text = text_copy(""), *name;
	uint32_t named = 0, more = 0;

	for (uint32_t i = 0; i < crowd->census->processes.count; i++) {
		const struct census_process *process = &crowd->census->processes.item[i];
		uint32_t threads = busy_threads(crowd->census, process);

		if (!threads || !counts(crowd, process->slot) || (named == NAMED_MAX && ++more))
			continue;
		name = process_text(crowd->reader, process->slot);
		text = text_join(
			text, ", ",
			text_format("%s: %u thread%s", name, threads, threads == 1 ? "" : "s"));
		named++;
		free(name);
	}
	if (more)
		text = text_join(text, " and ",
				 text_format("%u more process%s", more, more == 1 ? "" : "es"));
	return text;
}

/* ---- stretches of time ---- */

/*
 * Where other jobs take their share of the machine, a short piece of work lasts long. It must be enough for the
 * time by itself.
 */
static bool has_work(const struct load_span *span)
{
	return 10 * span->ran_ns >= 9 * SPAN_NS * span->processors;
}

static void end_span(struct load *load, enum load_kind kind)
{
	struct load_span *now = &load->now[kind], *longest = &load->longest[kind];

	if (now->ns >= SPAN_NS && now->ns > longest->ns && (kind == LOAD_CROWD || has_work(now))) {
		free(longest->detail);
		*longest = *now;
	} else {
		free(now->detail);
	}
	*now = (struct load_span){0};
}

static void go_on(struct load *load, enum load_kind kind, const struct sight *sight)
{
	struct load_span *now = &load->now[kind];
	bool crowd = kind == LOAD_CROWD;
	uint64_t most = crowd ? sight->workers : sight->busy_ns;

	now->ns += load->crowd->census->passed_ns;
	now->busy_ns += sight->busy_ns;
	now->ran_ns += sight->ran_ns;
	if (most <= now->most_ns)
		return;
	now->most_ns = most;
	now->processors = sight->processors;
	now->processes = crowd ? sight->workers : sight->processes;
	now->threads = sight->threads;
	now->slot = crowd ? sight->employer : load->crowd->census->processes.item[0].slot;
	free(now->detail);
	now->detail = detail_of(load->crowd);
}

static void follow(struct load *load, enum load_kind kind, bool holds, const struct sight *sight)
{
	if (holds)
		go_on(load, kind, sight);
	else
		end_span(load, kind);
}

void load_look(struct load *load)
{
	uint64_t passed_ns = load->crowd->census->passed_ns, room;
	struct sight sight;

	if (!passed_ns)
		return;
	sight = see(load);
	room = sight.processors * passed_ns;
	follow(load, LOAD_HEAVY, room && sight.busy_ns > 2 * room, &sight);
	follow(load, LOAD_LIGHT, room && 4 * sight.busy_ns > 5 * room, &sight);
	follow(load, LOAD_CROWD, room && sight.workers > sight.processors, &sight);
}

static void state(const struct load *load, struct watchlog *log, enum load_kind kind)
{
	const struct load_span *span = &load->longest[kind];
	uint32_t pid = load->crowd->reader->session.table[span->slot].pid;
	struct ev_load event = {
		.running = (span->busy_ns + span->ns / 2) / span->ns,
		.processors = span->processors,
		.lasted = span->ns,
		.processes = span->processes,
		.threads = span->threads,
		.detail = watchlog_text(log, span->slot, span->detail),
	};

	watchlog_put(log, EV_load, span->slot, pid, &event, sizeof(event));
}

void load_finish(struct load *load, struct watchlog *log)
{
	bool stated = false;

	for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
		end_span(load, kind);
		if (load->longest[kind].ns && !stated) {
			state(load, log, kind);
			stated = true;
		}
		free(load->longest[kind].detail);
	}
	*load = (struct load){0};
}
