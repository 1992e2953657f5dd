/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waits of Python for results of tasks, in a process where a thread polls: what that one does between two
 * limits delivers the result of no task but its own; and event loops that do not what they should. Neighbours: waits_look.h, waits_lock.c, pythreads.h.
 */
#include "../job/patience.h"
#include "../proc/calls.h"
#include "../proc/proc.h"
#include "pythreads.h"
#include "waits_look.h"

static const struct snapshot_process *process_of(const struct look *look)
{
	return &look->snapshot->processes.item[look->thread->process];
}

static bool somebody_polls(const struct look *look)
{
	const struct snapshot_process *process = process_of(look);

	for (uint32_t i = process->begin; i < process->end; i++)
		if (snapshot_polls(look->snapshot, &look->snapshot->threads.item[i]))
			return true;
	return false;
}

/* Whether another thread of the process runs what this one waits for. */
static bool is_run(const struct look *look, struct pyview *view, const struct pythread_wait *wait)
{
	const struct snapshot_process *process = process_of(look);
	struct pythread_wait other;
	uint64_t handle;

	for (uint32_t i = process->begin; i < process->end; i++) {
		handle = look_handle(&look->snapshot->threads.item[i]);
		if (!handle || handle == look_handle(look->thread))
			continue;
		other.task_count = pyview_task(view, handle, other.task, PYTHREAD_OBJECTS);
		if (pythread_awaits(wait, &other))
			return true;
	}
	return false;
}

/*
 * A task that nobody runs yet is a matter of its pool's threads: of one that waits for it as part of a task,
 * it is taken for one of its own pool, or of another whose threads are known all the same.
 */
static bool is_for_task(struct look *look)
{
	uint64_t own = look_handle(look->thread);
	struct pyview *view = look_view(look, look->thread->pid);
	struct pythread_wait wait = {0};

	if (!view)
		return false;
	wait.awaited_count = pyview_awaited(view, own, wait.awaited, PYTHREAD_OBJECTS);
	if (!wait.awaited_count)
		return false;
	wait.task_count = pyview_task(view, own, wait.task, PYTHREAD_OBJECTS);
	return is_run(look, view, &wait) ||
	       (wait.task_count && snapshot_polls(look->snapshot, look->thread));
}

/* Frames that were read then are too old, or those of another wait; one that polls comes back to the same. */
static bool is_outdated(const struct look *look, uint64_t read_ns)
{
	return look->snapshot->now_ns - read_ns >= LOOK_AGAIN_NS ||
	       (read_ns < look->thread->still_ns && !snapshot_polls(look->snapshot, look->thread));
}

void classify_task(struct look *look)
{
	struct snapshot_thread *thread = look->thread;

	if (!look_may_ask(look) || !somebody_polls(look))
		return;
	if (is_outdated(look, thread->task_ns)) {
		thread->task = is_for_task(look);
		thread->task_ns = look->snapshot->now_ns;
	}
	look->wait->of_task = thread->task;
	if (thread->task && look->wait->ends == MPSAN_ENDS_POLL)
		look->wait->flags |= MPSAN_LF_CERTAIN;
}

/* A loop that has not run for long, or comes back to its wait. Of a process with one thread there may be no record. */
static bool may_ask_loop(const struct look *look)
{
	const struct snapshot_process *process = process_of(look);

	return call_is_loop(&look->thread->call) &&
	       (look_handle(look->thread) || process->end - process->begin == 1) &&
	       (look->snapshot->now_ns - look->thread->still_ns >= PATIENCE_NS(OWNER) ||
		snapshot_polls(look->snapshot, look->thread));
}

/* Whether another thread of its process runs, or this one has run since its call was read. */
static bool somebody_runs(const struct look *look)
{
	const struct snapshot_process *process = process_of(look);

	for (uint32_t i = process->begin; i < process->end; i++) {
		const struct snapshot_thread *thread = &look->snapshot->threads.item[i];

		if (proc_stat(thread->pid, thread->tid).state == 'R')
			return true;
	}
	return snapshot_has_moved(look->thread);
}

/* The look may fall between what another thread adds to a loop and its call that wakes it, which are far apart at times. */
static void ask_loop(const struct look *look)
{
	struct snapshot_thread *thread = look->thread;

	thread->loop = pythread_loop_fault(thread);
	thread->loop_ns = look->snapshot->now_ns;
	if (thread->loop == PYTASKS_UNWOKEN && !look->snapshot->outside && somebody_runs(look)) {
		thread->loop = PYTASKS_NONE;
		thread->loop_ns = 0;
	}
}

void classify_loop(struct look *look)
{
	struct snapshot_thread *thread = look->thread;

	if (!may_ask_loop(look))
		return;
	if (is_outdated(look, thread->loop_ns))
		ask_loop(look);
	if (thread->loop == PYTASKS_STUCK)
		look->wait->flags |= MPSAN_LF_STUCK;
	else if (thread->loop == PYTASKS_UNWOKEN && !call_has_limit(&thread->call))
		look->wait->flags |= MPSAN_LF_UNWOKEN; /* with a limit it runs them then */
	else
		return;
	look->wait->kind = MPSAN_WAIT_READY;
}
