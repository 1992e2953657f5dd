/* SPDX-License-Identifier: Apache-2.0 */
/* Records waits that last too long, although something could still end them. */
#include "long_waits.h"

#include <signal.h>

#include "../proc/calls.h"
#include "../waits/pythreads.h"
#include "left_behind.h"
#include "telling.h"

static bool is_lock(uint64_t kind)
{
	return mpsan_kind_is_lock((unsigned)kind);
}

/* Records a wait for a lock whose owner runs elsewhere, with that owner. */
static void state_long_wait(struct deadlocks *deadlocks, uint32_t index)
{
	const struct wait *wait = &deadlocks->waits.item.item[index];
	struct telling telling = {0};

	telling_add(deadlocks, &telling, index, 0);
	telling_add(deadlocks, &telling, deadlocks->waits.who.item[wait->begin], 0);
	telling_close(deadlocks, &telling, MPSAN_DEADLOCK_LONG, 0, NULL);
}

static bool is_stopped(const struct snapshot_thread *thread)
{
	char state = proc_stat(thread->pid, thread->tid).state;

	return state == 'T' || state == 't';
}

static bool is_pipe_from_outside(const struct deadlocks *deadlocks, uint32_t index)
{
	const struct wait *wait = &deadlocks->waits.item.item[index];

	return wait->end == WAIT_OPEN && wait->kind >= MPSAN_WAIT_PIPE_READ;
}

/* Whether the whole job slept for that long, with a process that is no leftover. */
static bool job_is_idle(const struct deadlocks *deadlocks, uint64_t since_ns)
{
	const struct snapshot *snapshot = &deadlocks->snapshot;

	for (uint32_t i = 0; i < snapshot->threads.count; i++) {
		const struct snapshot_thread *thread = &snapshot->threads.item[i];

		if (thread->call.state != PROC_IN_CALL || thread->still_ns > since_ns ||
		    thread->told || wait_is_timed(&deadlocks->waits.item.item[i]) ||
		    call_is_outside(thread->pid, &thread->call) ||
		    is_pipe_from_outside(deadlocks, i))
			return false;
	}
	for (uint32_t i = 0; i < snapshot->processes.count; i++)
		if (!left_behind(snapshot->reader, snapshot->processes.item[i].slot))
			return true;
	return false;
}

/* Whether idling may be intended: a wait for a signal, or a stopped job. */
static bool idleness_is_meant(const struct deadlocks *deadlocks)
{
	const uint64_t child = 1ull << (SIGCHLD - 1), interrupt = 1ull << (SIGINT - 1);
	const struct snapshot *snapshot = &deadlocks->snapshot;

	for (uint32_t i = 0; i < snapshot->processes.count; i++) {
		const struct mpsan_process *process =
			&snapshot->reader->session.table[snapshot->processes.item[i].slot];

		if (proc_handlers(process) & ~(process->python ? child | interrupt : child))
			return true;
	}
	for (uint32_t i = 0; i < snapshot->threads.count; i++) {
		const struct snapshot_thread *thread = &snapshot->threads.item[i];

		if (is_stopped(thread) ||
		    (thread->tid == thread->pid && pythread_waits_for_event(thread)))
			return true;
	}
	return false;
}

static void state_idle_job(struct deadlocks *deadlocks)
{
	struct telling telling = {0};
	uint64_t flags = 0;

	for (uint32_t i = 0; i < deadlocks->snapshot.threads.count; i++)
		flags |= deadlocks_thread(deadlocks, i)->idle ? MPSAN_LF_PARKED : 0;
	for (uint32_t i = 0; i < deadlocks->snapshot.threads.count; i++)
		telling_add(deadlocks, &telling, i, flags);
	telling_close(deadlocks, &telling, MPSAN_DEADLOCK_LONG, 0, NULL);
}

/* An owner that runs, or was stopped, is slow, but not stuck. */
static bool holder_sleeps(struct deadlocks *deadlocks, const struct wait *wait)
{
	const struct snapshot_thread *holder =
		deadlocks_thread(deadlocks, deadlocks->waits.who.item[wait->begin]);

	return holder->call.state == PROC_IN_CALL && !is_stopped(holder);
}

void long_waits_state(struct deadlocks *deadlocks, uint64_t now_ns)
{
	uint64_t since = now_ns - deadlocks->hang_after_ns;

	if (!deadlocks->hang_after_ns || now_ns < deadlocks->hang_after_ns)
		return;
	for (uint32_t i = 0; i < deadlocks->snapshot.threads.count; i++) {
		const struct wait *wait = &deadlocks->waits.item.item[i];

		if (wait->end == WAIT_OWNERS && is_lock(wait->kind) &&
		    deadlocks_thread(deadlocks, i)->still_ns <= since &&
		    !deadlocks_thread(deadlocks, i)->told && holder_sleeps(deadlocks, wait))
			state_long_wait(deadlocks, i);
	}
	if (job_is_idle(deadlocks, since) && !idleness_is_meant(deadlocks))
		state_idle_job(deadlocks);
}
