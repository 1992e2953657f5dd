/* SPDX-License-Identifier: Apache-2.0 */
/* Measures CPU load: threads that want to run against processors. */
#include "mon_cpu.h"

#include <stdlib.h>

#include "../../evidence/text_process.h"
#include "../startup.h"
#include "quota.h"

#define SPAN_NS 2000000000ull /* minimum duration */
#define STARTED_NS 500000000u /* of a processor, or */
#define OLD_NS 2000000000u /* of time, which a process has had when it counts */
#define WORKED_NS 50000000u /* of a processor: a worker that had so much has worked */
#define NAMED_MAX 4u

void mon_cpu_init(struct mon_cpu *mon_cpu, const struct workers *workers)
{
	*mon_cpu = (struct mon_cpu){.workers = workers, .quota = quota_processors()};
}

/* ---- one snapshot ---- */

/*
 * Single-threaded programs, as make starts them, are deliberate; workers and processes with thread
 * pools are meant.
 */
static bool is_meant(const struct worker *member)
{
	return member->worker || member->threads > 1;
}

/* One that has only started may end soon: however many there are, each takes its turn. */
static bool has_started(const struct workers *workers, uint32_t slot)
{
	const struct worker *member = &workers->member[slot];

	return !member->starts && (member->total_ran_ns >= STARTED_NS ||
				   workers->snapshot->now_ns >=
					   workers->reader->session.table[slot].birth_ns + OLD_NS);
}

/* Looks at who still starts, where that may matter. */
static void follow_starts(const struct workers *workers)
{
	const struct snapshot *snapshot = workers->snapshot;
	uint64_t busy_ns = 0;
	uint32_t count = 0;

	WORKERS_EACH(workers, slot) {
		busy_ns += is_meant(&workers->member[slot]) ? workers->member[slot].busy_ns : 0;
		count += workers->member[slot].python;
	}
	for (uint32_t i = 0; i < snapshot->processes.count; i++) {
		struct worker *member = &workers->member[snapshot->processes.item[i].slot];

		if ((busy_ns <= snapshot->passed_ns && count < 2) || !is_meant(member))
			continue;
		member->starts = startup_lasts(workers, &snapshot->processes.item[i]);
		member->worked_ns += member->starts ? 0 : member->ran_ns;
	}
}

/* Other programs, as a test runner starts them, use what threads they need. */
static bool computes(const struct workers *workers, uint32_t slot)
{
	return workers->member[slot].worker || workers->reader->session.table[slot].python;
}

static bool mon_cpu_counts(const struct workers *workers, uint32_t slot)
{
	return is_meant(&workers->member[slot]) && has_started(workers, slot);
}

struct sight {
	uint64_t busy_ns, ran_ns;
	uint64_t computing_ns; /* busy, of workers and Python */
	uint64_t all_busy_ns; /* also of those that have only started */
	uint32_t processes, threads; /* that ran for a good part of the time */
	uint32_t processors;
	uint32_t busiest; /* of those that count; a worker if one is among them */
	/* the parent with most workers that have worked, and one of those; indices of processes */
	uint32_t workers, employer, one;
};

static uint32_t processors_of(const struct mon_cpu *mon_cpu)
{
	const struct workers *workers = mon_cpu->workers;
	uint32_t count;
	cpu_set_t set;

	CPU_ZERO(&set);
	WORKERS_EACH(workers, slot)
		if (is_meant(&workers->member[slot]))
			quota_add_affinity(session_pid(&workers->reader->session, slot), &set);
	count = (uint32_t)CPU_COUNT(&set);
	count = count < mon_cpu->quota ? count : mon_cpu->quota;
	return count ? count : 1;
}

double mon_cpu_alone(uint64_t ran_ns, uint64_t waited_ns, uint64_t age_ns)
{
	uint64_t rested_ns = ran_ns + waited_ns < age_ns ? age_ns - ran_ns - waited_ns : 0;

	return rested_ns ? (double)ran_ns / (double)(ran_ns + rested_ns) : 1;
}

/*
 * How long the thread was runnable; with company, how long it would have been without, by all that it
 * did: the kernel counts a wait for a processor when that is over. A process that is always runnable
 * has threads that rest only until others of it had their turn, as at a barrier.
 */
static uint64_t wanted_ns(const struct mon_cpu *mon_cpu, uint32_t index)
{
	const struct snapshot *snapshot = mon_cpu->workers->snapshot;
	const struct snapshot_thread *thread = &snapshot->threads.item[index];
	uint64_t age_ns = snapshot->now_ns - thread->seen_ns + snapshot->passed_ns;

	if (!mon_cpu->company ||
	    mon_cpu->workers->member[thread->slot].busy_ns >= snapshot->passed_ns)
		return worker_table_busy_ns(snapshot, index);
	if (!thread->lately.ran_ns && !thread->lately.waited_ns && thread->call.state != PROC_RUNS)
		return 0;
	return (uint64_t)((double)snapshot->passed_ns *
			  mon_cpu_alone(thread->time.ran_ns, thread->time.waited_ns, age_ns));
}

static uint32_t busy_threads(const struct mon_cpu *mon_cpu, const struct snapshot_process *process,
			     uint64_t *busy_ns)
{
	uint32_t count = 0;

	*busy_ns = 0;
	for (uint32_t i = process->begin; i < process->end; i++) {
		uint64_t wanted = wanted_ns(mon_cpu, i);

		*busy_ns += wanted;
		count += wanted > mon_cpu->workers->snapshot->passed_ns / 4;
	}
	return count;
}

struct hired {
	uint32_t parent, process;
};

static int compare_parents(const void *one, const void *other)
{
	uint32_t a = ((const struct hired *)one)->parent, b = ((const struct hired *)other)->parent;

	return a < b ? -1 : a > b;
}

static void find_employer(const struct workers *workers, struct sight *sight)
{
	ARRAY(struct hired) hired = {0};
	uint32_t run = 0;

	for (uint32_t i = 0; i < workers->snapshot->processes.count; i++) {
		const struct worker *member =
			&workers->member[workers->snapshot->processes.item[i].slot];

		if (member->python && member->parent != FACT_NONE && member->worked_ns >= WORKED_NS)
			*ARRAY_ADD(&hired) = (struct hired){member->parent, i};
	}
	if (hired.count)
		qsort(hired.item, hired.count, sizeof(*hired.item), compare_parents);
	for (uint32_t i = 0; i < hired.count; i++) {
		run = i && hired.item[i].parent == hired.item[i - 1].parent ? run + 1 : 1;
		if (run > sight->workers) {
			sight->workers = run;
			sight->employer = hired.item[i].parent;
			sight->one = hired.item[i].process;
		}
	}
	free(hired.item);
}

/* How many ranks there are was not decided by who starts them. What a rank starts has its number, too. */
static bool are_ranks(const struct workers *workers, const struct sight *sight)
{
	const struct snapshot *snapshot = workers->snapshot;
	uint32_t employer = snapshot_process(snapshot, sight->employer);

	return startup_is_rank(workers, &snapshot->processes.item[sight->one]) &&
	       (employer == SNAPSHOT_NONE ||
		!startup_is_rank(workers, &snapshot->processes.item[employer]));
}

static bool is_busier(const struct worker *one, const struct worker *other)
{
	return one->worker == other->worker ? one->busy_ns > other->busy_ns : one->worker;
}

static struct sight mon_cpu_see(const struct mon_cpu *mon_cpu)
{
	const struct workers *workers = mon_cpu->workers;
	const struct snapshot *snapshot = workers->snapshot;
	struct sight sight = {0};

	for (uint32_t i = 0; i < snapshot->processes.count; i++) {
		const struct snapshot_process *process = &snapshot->processes.item[i];
		uint32_t slot = process->slot, threads;
		uint64_t busy_ns;

		if (!is_meant(&workers->member[slot]))
			continue;
		threads = busy_threads(mon_cpu, process, &busy_ns);
		sight.all_busy_ns += busy_ns;
		if (!has_started(workers, slot))
			continue;
		if (!sight.busy_ns ||
		    is_busier(&workers->member[slot], &workers->member[sight.busiest]))
			sight.busiest = slot;
		sight.busy_ns += busy_ns;
		if (computes(workers, slot))
			sight.computing_ns += busy_ns;
		sight.ran_ns += workers->member[slot].ran_ns;
		sight.processes += threads != 0;
		sight.threads += threads;
	}
	find_employer(workers, &sight);
	if (sight.busy_ns > snapshot->passed_ns || sight.workers > 1)
		sight.processors = processors_of(mon_cpu);
	return sight;
}

/*
 * Which processes have how many threads: "Process-1 (pid 7): 4 threads, process 9: 3 threads and 2
 * more processes".
 */
static char *detail_of(const struct mon_cpu *mon_cpu)
{
	const struct workers *workers = mon_cpu->workers;
	char *text = text_copy(""), *name;
	uint64_t busy_ns;
	uint32_t named = 0, more = 0;

	for (uint32_t i = 0; i < workers->snapshot->processes.count; i++) {
		const struct snapshot_process *process = &workers->snapshot->processes.item[i];
		uint32_t threads = busy_threads(mon_cpu, process, &busy_ns);

		if (!threads || !mon_cpu_counts(workers, process->slot) ||
		    (named == NAMED_MAX && ++more))
			continue;
		name = process_text(workers->reader, process->slot);
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

/* ---- periods ---- */

/*
 * If other jobs share the machine, little work takes long: requires enough work in absolute terms.
 * Threads that wait for a processor because of others are judged as they would be alone.
 */
static bool has_work(const struct mon_cpu_span *span)
{
	return 10 * span->ran_ns >= 9 * SPAN_NS * span->processors;
}

/* A crowd that only starts is busy, and is no load yet either. */
static bool waits_mostly(const struct mon_cpu_span *span)
{
	return 4 * span->busy_ns <= 5 * span->ns * span->processors;
}

static void end_span(struct mon_cpu *mon_cpu, enum mon_cpu_kind kind)
{
	struct mon_cpu_span *now = &mon_cpu->now[kind], *longest = &mon_cpu->longest[kind];

	if (now->ns >= SPAN_NS && now->ns > longest->ns &&
	    (kind == LOAD_CROWD ? waits_mostly(now) : has_work(now))) {
		free(longest->detail);
		*longest = *now;
	} else {
		free(now->detail);
	}
	*now = (struct mon_cpu_span){0};
}

static void go_on(struct mon_cpu *mon_cpu, enum mon_cpu_kind kind, const struct sight *sight)
{
	struct mon_cpu_span *now = &mon_cpu->now[kind];
	bool workers = kind == LOAD_CROWD;
	uint64_t most = workers ? sight->workers : sight->busy_ns;

	now->ns += mon_cpu->workers->snapshot->passed_ns;
	now->busy_ns += workers ? sight->all_busy_ns : sight->busy_ns;
	now->computing_ns += sight->computing_ns;
	now->ran_ns += sight->ran_ns;
	if (most <= now->most_ns)
		return;
	now->most_ns = most;
	now->processors = sight->processors;
	now->processes = workers ? sight->workers : sight->processes;
	now->threads = sight->threads;
	now->slot = workers ? sight->employer : sight->busiest;
	free(now->detail);
	now->detail = detail_of(mon_cpu);
}

static void mon_cpu_follow(struct mon_cpu *mon_cpu, enum mon_cpu_kind kind, bool holds,
			   const struct sight *sight)
{
	if (holds)
		go_on(mon_cpu, kind, sight);
	else
		end_span(mon_cpu, kind);
}

void mon_cpu_look(struct mon_cpu *mon_cpu)
{
	uint64_t passed_ns = mon_cpu->workers->snapshot->passed_ns, room;
	struct sight sight;

	if (!passed_ns)
		return;
	follow_starts(mon_cpu->workers);
	mon_cpu->company = false;
	sight = mon_cpu_see(mon_cpu);
	mon_cpu->company = 10 * sight.ran_ns < 9 * sight.processors * passed_ns;
	if (mon_cpu->company)
		sight = mon_cpu_see(mon_cpu);
	/* Many threads that each need a processor only briefly, as short commands do, do not count. */
	room = sight.threads > sight.processors ? sight.processors * passed_ns : 0;
	mon_cpu_follow(mon_cpu, LOAD_HEAVY, room && sight.computing_ns > 2 * room, &sight);
	mon_cpu_follow(mon_cpu, LOAD_LIGHT, room && 4 * sight.busy_ns > 5 * room, &sight);
	mon_cpu_follow(mon_cpu, LOAD_CROWD,
		       sight.processors && sight.workers > sight.processors &&
			       !are_ranks(mon_cpu->workers, &sight),
		       &sight);
}

static uint64_t threads_of(const struct mon_cpu_span *span, uint64_t busy_ns)
{
	return (busy_ns + span->ns / 2) / span->ns;
}

static void mon_cpu_state(const struct mon_cpu *mon_cpu, struct watchlog *log,
			  enum mon_cpu_kind kind)
{
	const struct mon_cpu_span *span = &mon_cpu->longest[kind];
	uint32_t pid = mon_cpu->workers->reader->session.table[span->slot].pid;
	struct ev_load event = {
		.running = threads_of(span, span->busy_ns),
		.computing = threads_of(span, span->computing_ns),
		.processors = span->processors,
		.lasted = span->ns,
		.processes = span->processes,
		.threads = span->threads,
		.detail = watchlog_text(log, span->slot, span->detail),
	};

	watchlog_put(log, EV_load, span->slot, pid, &event, sizeof(event));
}

void mon_cpu_finish(struct mon_cpu *mon_cpu, struct watchlog *log)
{
	bool stated = false;

	for (enum mon_cpu_kind kind = 0; kind < LOAD_KINDS; kind++) {
		end_span(mon_cpu, kind);
		if (mon_cpu->longest[kind].ns && !stated) {
			mon_cpu_state(mon_cpu, log, kind);
			stated = true;
		}
		free(mon_cpu->longest[kind].detail);
	}
	*mon_cpu = (struct mon_cpu){0};
}
