/* SPDX-License-Identifier: Apache-2.0 */
/* Opens every thread that may go on, again and again until none is left that could: the rest is dead. */
#include "job.h"

#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	enum job_strength strength;
} excuses[] = {
	[JOB_EXCUSE_NONE] = {"", EXCUSE_CANNOT},
#define EXCUSE(name, strength, why) [JOB_EXCUSE_##name] = {#name, EXCUSE_##strength},
#include "excuses.def"
#undef EXCUSE
};

const char *job_excuse_name(enum job_excuse excuse)
{
	return excuses[excuse].name;
}

bool job_excuses_doubt(uint64_t used)
{
	for (unsigned i = 0; i < JOB_EXCUSES; i++)
		if (used >> i & 1 && excuses[i].strength == EXCUSE_UNLIKELY)
			return true;
	return false;
}

static enum wait_between between_of(const struct job_wait *wait)
{
	return wait->by_owner ? BETWEEN_NOTHING : wait_kind(wait->kind)->between;
}

uint64_t job_ends_at(const struct job_wait *wait)
{
	switch (wait->ends) {
	case MPSAN_ENDS_NEVER:
		return UINT64_MAX;
	case MPSAN_ENDS_POLL: /* between two waits the thread may decide to do something else */
		return between_of(wait) != BETWEEN_SEND || wait->asks_itself ? JOB_RENEWED : 0;
	case MPSAN_ENDS_HANDLER:
		return JOB_RENEWED;
	default:
		return wait->ends_ns;
	}
}

/* ---- one wait ---- */

/* A wait, and the state of the solution in which it is examined. */
struct view {
	const struct job *job;
	const struct job_solution *solution;
	const struct job_wait *wait;
	uint32_t thread;
};

static struct view view_of(const struct job *job, const struct job_solution *solution,
			   uint32_t thread)
{
	return (struct view){job, solution, &job->waits.item[thread], thread};
}

static const struct job_ender *ender_of(const struct view *view, uint32_t i)
{
	return &view->job->enders.item[view->wait->first + i];
}

/* How many threads of a process may go on but cannot end this wait. */
static uint32_t open_excused(const struct view *view, uint32_t process)
{
	uint32_t count = wait_kind(view->wait->kind)->driver ? 0 : view->solution->drivers[process];

	for (uint32_t i = 0; i < view->wait->enders; i++) {
		const struct job_ender *ender = ender_of(view, i);

		count += ender->excuse && view->solution->help[ender->index] == AT_WORK &&
			 view->job->threads.item[ender->index].process == process;
	}
	return count;
}

/* Whether a thread of the process polls, apart from one that asks all the time for what it lacks itself. */
static bool other_polls(const struct view *view, uint32_t process)
{
	bool own = view->wait->asks_itself &&
		   view->job->threads.item[view->thread].process == process;

	return view->solution->polls[process] > own;
}

/*
 * Whether a thread of the process may go on; or a signal handler, or a thread that polls, may do it in between. What
 * such a thread holds in memory it has kept all the time.
 */
static bool process_may_act(const struct view *view, uint32_t process)
{
	enum wait_between between = between_of(view->wait);
	bool polls = other_polls(view, process);

	return view->solution->open[process] > open_excused(view, process) ||
	       (between >= BETWEEN_RELEASE && polls) ||
	       (between == BETWEEN_SEND && view->solution->handles[process]);
}

/* Whether it waits for the end of a process, or for what another one is to send, and the main thread there goes on. */
static bool main_goes_on(const struct view *view, uint32_t process)
{
	const struct wait_kind *kind = wait_kind(view->wait->kind);

	return view->solution->by_work &&
	       (kind->act == ACT_END ||
		(kind->flow == FLOW_READS &&
		 view->job->threads.item[view->thread].process != process)) &&
	       view->solution->help[view->job->processes.item[process].begin] & AT_WORK_FOR_PROCESS;
}

static bool may_end(const struct view *view, const struct job_ender *ender)
{
	switch (ender->who) {
	case JOB_THREAD:
		return !view->solution->dead[ender->index];
	case JOB_PROCESS:
		return process_may_act(view, ender->index) || main_goes_on(view, ender->index);
	default:
		return view->solution->job_is_open;
	}
}

/* Whether its wait can end: any of its enders, or all of them, may go on. */
static bool is_helped(const struct view *view)
{
	bool all = view->wait->all;

	for (uint32_t i = 0; i < view->wait->enders; i++)
		if (!ender_of(view, i)->excuse && may_end(view, ender_of(view, i)) != all)
			return !all;
	return all;
}

/* Whether an owner goes on that may do no more than that, so that the same is true of who waits for it. */
static bool is_helped_in_part(const struct view *view)
{
	for (uint32_t i = 0; view->solution->by_work && view->wait->all && i < view->wait->enders;
	     i++)
		if (view->solution->help[ender_of(view, i)->index] != AT_WORK)
			return true;
	return false;
}

/* ---- all of them ---- */

static void let_go_on(const struct job *job, struct job_solution *solution, uint32_t thread,
		      enum at_work help)
{
	const struct job_thread *at = &job->threads.item[thread];

	solution->dead[thread] = !(help & AT_WORK_FOR_WAITERS);
	solution->help[thread] = help;
	if (help != AT_WORK)
		return;
	solution->job_is_open |= at->trait != JOB_EXCUSE_SERVES;
	solution->open[at->process]++;
	solution->drivers[at->process] += at->trait == JOB_EXCUSE_DRIVER;
}

static void find_handlers(const struct job *job, struct job_solution *solution)
{
	for (uint32_t i = 0; i < solution->count; i++) {
		const struct job_wait *wait = &job->waits.item[i];
		const struct job_thread *at = &job->threads.item[i];

		if (wait->ends == MPSAN_ENDS_HANDLER ||
		    (wait->ends == MPSAN_ENDS_TIMER && !wait->gives_up))
			solution->handles[at->process] = true;
		solution->polls[at->process] += wait->ends == MPSAN_ENDS_POLL &&
						at->trait != JOB_EXCUSE_WATCHDOG;
	}
}

static void open_all(const struct job *job, struct job_solution *solution, uint64_t horizon_ns)
{
	for (uint32_t i = 0; i < solution->count; i++)
		if (job->threads.item[i].trait == JOB_EXCUSE_WATCHDOG)
			solution->dead[i] = false; /* and it is no help to others */
		else if (job->threads.item[i].runs || job_ends_at(&job->waits.item[i]) < horizon_ns)
			let_go_on(job, solution, i, AT_WORK);
}

static void spread(const struct job *job, struct job_solution *solution)
{
	bool more = true;

	/* in turns from either end: a chain of waits is open after the second time */
	for (bool back = false; more; back = !back) {
		more = false;
		for (uint32_t k = 0; k < solution->count; k++) {
			uint32_t i = back ? solution->count - 1 - k : k;
			const struct view view = view_of(job, solution, i);

			if (!solution->dead[i] || !is_helped(&view))
				continue;
			let_go_on(job, solution, i,
				  is_helped_in_part(&view) ?
					  AT_WORK_FOR_WAITERS | AT_WORK_FOR_PROCESS :
					  AT_WORK);
			more = true;
		}
	}
}

/* ---- groups ---- */

static uint32_t root_of(struct job_solution *solution, uint32_t thread)
{
	uint32_t *group = solution->group;

	while (group[thread] != thread)
		thread = group[thread] = group[group[thread]];
	return thread;
}

static void join(struct job_solution *solution, uint32_t one, uint32_t other)
{
	if (solution->dead[other])
		solution->group[root_of(solution, one)] = root_of(solution, other);
}

static void join_enders(const struct view *view, struct job_solution *solution)
{
	for (uint32_t i = 0; i < view->wait->enders; i++) {
		const struct job_ender *ender = ender_of(view, i);
		const struct job_process *process = &view->job->processes.item[ender->index];

		if (ender->excuse)
			continue;
		if (ender->who == JOB_THREAD && solution->dead[ender->index]) {
			solution->next[view->thread] = ender->index;
			join(solution, view->thread, ender->index);
		}
		for (uint32_t k = process->begin; ender->who == JOB_PROCESS && k < process->end;
		     k++)
			join(solution, view->thread, k);
	}
}

static uint64_t excuses_of(const struct view *view)
{
	uint64_t used = 0;

	for (uint32_t i = 0; i < view->wait->enders; i++)
		used |= 1ull << ender_of(view, i)->excuse;
	return used & ~(1ull << JOB_EXCUSE_NONE);
}

static void find_groups(const struct job *job, struct job_solution *solution)
{
	for (uint32_t i = 0; i < solution->count; i++) {
		solution->group[i] = i;
		solution->excuses[i] = 0;
	}
	for (uint32_t i = 0; i < solution->count; i++) {
		const struct view view = view_of(job, solution, i);
		uint32_t holder = view.wait->holder;

		solution->next[i] = JOB_NONE;
		if (!solution->dead[i])
			continue;
		if (holder != JOB_NONE && solution->dead[holder])
			solution->next[i] = holder;
		join_enders(&view, solution);
	}
	for (uint32_t i = 0; i < solution->count; i++)
		solution->group[i] = solution->dead[i] ? root_of(solution, i) : JOB_NONE;
	for (uint32_t i = 0; i < solution->count; i++) {
		const struct view view = view_of(job, solution, i);

		if (solution->dead[i])
			solution->excuses[solution->group[i]] |= excuses_of(&view);
	}
}

/* ---- memory ---- */

#define GROW(array, room) ((array) = memory_grow((array), (room) * sizeof(*(array))))

static void make_room(struct job_solution *solution, uint32_t count)
{
	if (solution->room >= count)
		return;
	solution->room = 2 * count;
	GROW(solution->dead, solution->room);
	GROW(solution->help, solution->room);
	GROW(solution->group, solution->room);
	GROW(solution->next, solution->room);
	GROW(solution->excuses, solution->room);
	GROW(solution->open, solution->room);
	GROW(solution->drivers, solution->room);
	GROW(solution->polls, solution->room);
	GROW(solution->handles, solution->room);
	GROW(solution->seen, solution->room);
}

static void solution_begin(const struct job *job, struct job_solution *solution, bool by_work)
{
	size_t processes = job->processes.count, threads = job->threads.count;

	make_room(solution, (uint32_t)(processes > threads ? processes : threads) + 1);
	solution->count = (uint32_t)threads;
	solution->job_is_open = false;
	solution->by_work = by_work;
	for (uint32_t i = 0; i < threads; i++) {
		solution->dead[i] = true;
		solution->help[i] = AT_WORK_NOT;
	}
	memset(solution->open, 0, processes * sizeof(*solution->open));
	memset(solution->drivers, 0, processes * sizeof(*solution->drivers));
	memset(solution->polls, 0, processes * sizeof(*solution->polls));
	memset(solution->handles, 0, processes * sizeof(*solution->handles));
}

void job_solve(const struct job *job, uint64_t horizon_ns, struct job_solution *solution)
{
	solution_begin(job, solution, false);
	find_handlers(job, solution);
	open_all(job, solution, horizon_ns);
	spread(job, solution);
	find_groups(job, solution);
}

void job_solve_work(const struct job *job, const enum at_work *work, struct job_solution *solution)
{
	solution_begin(job, solution, true);
	for (uint32_t i = 0; i < solution->count; i++)
		let_go_on(job, solution, i, work[i]);
	spread(job, solution);
}

uint32_t job_cycle(const struct job_solution *solution, uint32_t from)
{
	memset(solution->seen, 0, solution->count * sizeof(*solution->seen));
	while (from != JOB_NONE && solution->dead[from] && !solution->seen[from]) {
		solution->seen[from] = 1;
		from = solution->next[from];
	}
	return from != JOB_NONE && solution->dead[from] ? from : JOB_NONE;
}

void job_solution_finish(struct job_solution *solution)
{
	free(solution->dead);
	free(solution->help);
	free(solution->group);
	free(solution->next);
	free(solution->excuses);
	free(solution->open);
	free(solution->drivers);
	free(solution->polls);
	free(solution->handles);
	free(solution->seen);
	*solution = (struct job_solution){0};
}

void job_begin(struct job *job)
{
	job->processes.count = job->threads.count = job->waits.count = job->enders.count = 0;
}

void job_finish(struct job *job)
{
	free(job->processes.item);
	free(job->threads.item);
	free(job->waits.item);
	free(job->enders.item);
	*job = (struct job){0};
}
