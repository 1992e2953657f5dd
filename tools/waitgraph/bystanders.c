/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asks the interpreter whether only the threads that wait can reach what they wait for. While these
 * do not run, no other thread obtains a reference, so that this remains true.
 */
#include "bystanders.h"

#include <time.h>

#include "../job/patience.h"
#include "../symbols/pyowned.h"
#include "../waits/ledger.h"

#define SHARE 100u /* asking takes at most 1/100 of the time, however many processes there are */

/* One process: its threads that go on by themselves, and those that wait. */
struct scene {
	const struct graph *graph;
	struct waits *waits;
	const struct snapshot_process *process;
	unsigned waiters, others, asked;
	uint64_t waiter[PYVIEW_OWNERS], other[PYVIEW_OWNERS]; /* handles */
	uint64_t print; /* of the threads that wait, and how often they have run */
	uint64_t lock[PYOWNED_LOCKS]; /* that are asked for */
	uint32_t thread[PYOWNED_LOCKS]; /* who wait for them */
};

static const struct snapshot_thread *thread_at(const struct scene *scene, uint32_t index)
{
	return &scene->waits->snapshot->threads.item[index];
}

static struct ledger_life *life_at(const struct scene *scene, uint32_t index)
{
	return &ledger_of(scene->waits->snapshot, index)->life;
}

static uint64_t handle_of(const struct snapshot_thread *thread)
{
	return thread->record ? thread->record->pthread : 0;
}

/* Whether threads of its process keep the wait open, although it is for an object of Python. */
static bool is_kept_open(const struct scene *scene, uint32_t index)
{
	const struct wait *wait = &scene->waits->item.item[index];

	return graph_is_kept_open(scene->graph, index) && wait->count == 1 && !wait->by_job &&
	       wait->kind == MPSAN_LOCK_SEMAPHORE && !(wait->flags & MPSAN_LF_SHARED) &&
	       scene->waits->snapshot->now_ns - thread_at(scene, index)->still_ns >=
		       PATIENCE_NS(OWNER);
}

static uint64_t mix(uint64_t print, uint64_t value)
{
	return (print ^ value) * 0x9e3779b97f4a7c15ull;
}

/*
 * False: there is nothing to ask, or somebody may do anything. The main thread also runs what was
 * registered for the exit.
 */
static bool gather(struct scene *scene)
{
	bool any = false;

	for (uint32_t i = scene->process->begin; i < scene->process->end; i++) {
		const struct snapshot_thread *thread = thread_at(scene, i);

		if (scene->waits->item.item[i].harmless)
			continue;
		if (graph_goes_on(scene->graph, i)) {
			if (thread->tid == thread->pid || !handle_of(thread) ||
			    scene->others == PYVIEW_OWNERS)
				return false;
			scene->other[scene->others++] = handle_of(thread);
			continue;
		}
		any |= is_kept_open(scene, i);
		if (handle_of(thread) && scene->waiters < PYVIEW_OWNERS)
			scene->waiter[scene->waiters++] = handle_of(thread);
		scene->print = mix(mix(scene->print, thread->tid), thread->runs);
	}
	return any && scene->others;
}

/* ---- which of the locks they alone can reach ---- */

static uint64_t print_of(const struct scene *scene, uint32_t index)
{
	return mix(scene->print, scene->waits->item.item[index].lock);
}

static void choose(struct scene *scene)
{
	uint64_t now = scene->waits->snapshot->now_ns;

	for (uint32_t i = scene->process->begin; i < scene->process->end; i++) {
		const struct ledger_life *known = life_at(scene, i);

		if (!is_kept_open(scene, i) || scene->asked == PYOWNED_LOCKS ||
		    now < known->owned_due_ns ||
		    (known->owned_print == print_of(scene, i) && known->owned))
			continue;
		scene->thread[scene->asked] = i;
		scene->lock[scene->asked++] = scene->waits->item.item[i].lock;
	}
}

/* Otherwise a reference may be passed on while they are counted. */
static bool stands_still(const struct scene *scene)
{
	for (uint32_t i = scene->process->begin; i < scene->process->end; i++) {
		const struct snapshot_thread *thread = thread_at(scene, i);

		if (!thread->runs || thread->call.state != PROC_IN_CALL ||
		    snapshot_has_moved(thread))
			return false;
	}
	return true;
}

/* False: it could not be found out now. */
static bool count_references(const struct scene *scene, uint32_t *owned)
{
	struct pyview *view = stands_still(scene) ? pyview_open((pid_t)scene->process->pid) : NULL;

	if (!view)
		return false;
	*owned = pyview_may_list(view, scene->other, scene->others) ?
			 0 :
			 pyview_owned(view, scene->waiter, scene->waiters, scene->lock,
				      scene->asked);
	pyview_close(view);
	return stands_still(scene);
}

/* Ever more rarely, the longer a wait lasts. */
static void learn(struct scene *scene, uint32_t owned)
{
	uint64_t now = scene->waits->snapshot->now_ns;

	for (unsigned i = 0; i < scene->asked; i++) {
		struct ledger_life *known = life_at(scene, scene->thread[i]);

		known->owned = owned >> i & 1;
		known->owned_print = print_of(scene, scene->thread[i]);
		known->owned_due_ns = 2 * now - thread_at(scene, scene->thread[i])->still_ns;
	}
}

static void ask(struct scene *scene)
{
	struct waits *waits = scene->waits;
	uint64_t begin = clock_ns(CLOCK_MONOTONIC);
	uint32_t owned;

	if (waits->snapshot->now_ns < waits->owned_due_ns)
		return;
	choose(scene);
	if (!scene->asked)
		return;
	if (count_references(scene, &owned))
		learn(scene, owned);
	waits->owned_due_ns = waits->snapshot->now_ns + (clock_ns(CLOCK_MONOTONIC) - begin) * SHARE;
}

static bool is_owned(const struct scene *scene, uint32_t index)
{
	const struct ledger_life *known = life_at(scene, index);

	return is_kept_open(scene, index) && known->owned &&
	       known->owned_print == print_of(scene, index);
}

static void set_apart(struct scene *scene, uint32_t index)
{
	struct wait *wait = &scene->waits->item.item[index];

	wait->apart = scene->waits->who.count;
	for (uint32_t i = scene->process->begin; i < scene->process->end; i++)
		if (graph_goes_on(scene->graph, i))
			*ARRAY_ADD(&scene->waits->who) = i;
	wait->apart_count = scene->waits->who.count - wait->apart;
	wait->apart_excuse = JOB_EXCUSE_OUT_OF_REACH;
}

bool bystanders_find(const struct graph *graph, struct waits *waits)
{
	const struct snapshot *snapshot = waits->snapshot;
	bool any = false;

	for (uint32_t i = 0; i < snapshot->processes.count; i++) {
		struct scene scene = {
			.graph = graph, .waits = waits, .process = &snapshot->processes.item[i]};

		if (!snapshot->reader->session.table[scene.process->slot].python || !gather(&scene))
			continue;
		ask(&scene);
		for (uint32_t k = scene.process->begin; k < scene.process->end; k++) {
			if (!is_owned(&scene, k))
				continue;
			set_apart(&scene, k);
			any = true;
		}
	}
	return any;
}
