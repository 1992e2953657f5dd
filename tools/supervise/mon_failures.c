/* SPDX-License-Identifier: Apache-2.0 */
/* Detects failed workers that their parent will not notice. */
#include "mon_failures.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../facts/processes.h"
#include "../waits/pythreads.h"

#define LATE_NS 1000000000ull

void mon_failures_init(struct mon_failures *mon_failures, const struct workers *workers,
		       const struct waits *waits)
{
	*mon_failures = (struct mon_failures){.workers = workers, .waits = waits};
	mon_failures->done =
		memory_get(workers->reader->session.slots * sizeof(*mon_failures->done));
}

void mon_failures_finish(struct mon_failures *mon_failures)
{
	free(mon_failures->done);
	*mon_failures = (struct mon_failures){0};
}

/*
 * Fills in how a process ended from the kernel, which keeps a zombie's status until its parent
 * reaps it. False if the status is not available, as for processes of other users.
 */
static bool complete_end(const struct reader *reader, uint32_t slot)
{
	struct mpsan_process *process = &reader->session.table[slot];
	int status = proc_ended(session_pid(&reader->session, slot));

	if (status < 0 || process->end || !reader->session.writable ||
	    (geteuid() && process->uid != geteuid()))
		return status >= 0;
	__atomic_fetch_or(&process->flags, MPSAN_PROCESS_OBSERVED, __ATOMIC_RELAXED);
	process->end_value = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
	process->end = WIFSIGNALED(status) ? MPSAN_END_SIGNAL : MPSAN_END_EXIT;
	return true;
}

static bool ended_badly(const struct mpsan_process *process)
{
	return process->end == MPSAN_END_SIGNAL ||
	       (process->end == MPSAN_END_EXIT && process->end_value > 0);
}

/* Whether a thread will not reap workers before something else wakes it. */
static bool is_elsewhere(const struct mon_failures *mon_failures, uint32_t thread)
{
	const struct proc_call *call = &mon_failures->workers->snapshot->threads.item[thread].call;

	if (call->state != PROC_IN_CALL || wait_is_timed(&mon_failures->waits->item.item[thread]))
		return false;
	switch (call->number) {
	case SYS_futex:
	case SYS_read:
	case SYS_readv:
	case SYS_write:
	case SYS_writev:
	case SYS_recvfrom:
	case SYS_recvmsg:
	case SYS_sendto:
	case SYS_sendmsg:
	case SYS_accept:
	case SYS_accept4:
		return true;
	default:
		return false;
	}
}

/*
 * The thread that waits for one other process; SNAPSHOT_NONE: none, or another thread may notice.
 */
static uint32_t who_waits(const struct mon_failures *mon_failures, uint32_t parent,
			  uint32_t worker_pid)
{
	const struct snapshot *snapshot = mon_failures->workers->snapshot;
	uint32_t at = snapshot_process(snapshot, parent), found = SNAPSHOT_NONE;

	if (at == SNAPSHOT_NONE)
		return SNAPSHOT_NONE;
	for (uint32_t i = snapshot->processes.item[at].begin; i < snapshot->processes.item[at].end;
	     i++) {
		const struct wait *wait = &mon_failures->waits->item.item[i];

		if (wait->kind == MPSAN_WAIT_PROCESS && wait->lock && wait->lock != worker_pid)
			found = i;
		else if (!is_elsewhere(mon_failures, i))
			return SNAPSHOT_NONE;
	}
	return found;
}

static void mon_failures_state(const struct mon_failures *mon_failures, struct watchlog *log,
			       uint32_t worker, uint32_t waiter, uint64_t lasted_ns)
{
	const struct snapshot_thread *thread =
		&mon_failures->workers->snapshot->threads.item[waiter];
	char *python = pythread_stack(thread);
	struct ev_unnoticed event = {
		.worker_slot = worker + 1,
		.waits_for = mon_failures->waits->item.item[waiter].lock,
		.lasted = lasted_ns,
		.stack = watchlog_stack(log, thread),
		.python = *python ? watchlog_text(log, thread->slot, python) : 0,
	};

	watchlog_put(log, EV_unnoticed, thread->slot, thread->own_tid, &event, sizeof(event));
	free(python);
}

/* Returns true when the worker needs no further check. */
static bool mon_failures_look_at(const struct mon_failures *mon_failures, struct watchlog *log,
				 uint32_t slot)
{
	const struct reader *reader = mon_failures->workers->reader;
	const struct mpsan_process *process = &reader->session.table[slot];
	uint64_t now_ns = mon_failures->workers->snapshot->now_ns,
		 since = reader->processes[slot].gone_ns;
	uint32_t parent, waiter;

	if (process->flags & MPSAN_PROCESS_REPLACED)
		return true;
	/* its log says that it has ended slightly before the kernel does */
	if (!complete_end(reader, slot))
		return session_liveness(&reader->session, slot) == GONE;
	if (!process_is_worker(&reader->facts, slot) || !ended_badly(process))
		return true;
	parent = process_parent(&reader->facts, slot);
	if (parent == FACT_NONE || reader->processes[parent].gone)
		return true;
	waiter = who_waits(mon_failures, parent, process->pid);
	if (waiter == SNAPSHOT_NONE)
		return false;
	if (mon_failures->workers->snapshot->threads.item[waiter].still_ns > since)
		since = mon_failures->workers->snapshot->threads.item[waiter].still_ns;
	if (now_ns < since + LATE_NS)
		return false;
	if (!(session_handlers(&reader->session, parent) & 1ull << (SIGCHLD - 1)))
		mon_failures_state(mon_failures, log, slot, waiter,
				   now_ns - reader->processes[slot].gone_ns);
	return true;
}

void mon_failures_look(struct mon_failures *mon_failures, struct watchlog *log)
{
	const struct reader *reader = mon_failures->workers->reader;

	READER_EACH_SLOT(reader, slot)
		if (reader->processes[slot].gone && !mon_failures->done[slot])
			mon_failures->done[slot] = mon_failures_look_at(mon_failures, log, slot);
}
