/* SPDX-License-Identifier: Apache-2.0 */
/* Detects failed workers that their parent will not notice. */
#include "mon_failures.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../facts/processes.h"
#include "../../proc/calls.h"
#include "../../waitgraph/in_vain.h"
#include "../../waits/pythreads.h"

#define LATE_NS 1000000000ull
#define REPLACED 4u /* workers of a pool that failed without having done anything */

void mon_failures_init(struct mon_failures *mon_failures, const struct workers *workers,
		       const struct deadlocks *deadlocks)
{
	*mon_failures = (struct mon_failures){.workers = workers,
					      .deadlocks = deadlocks,
					      .waits = &deadlocks->waits,
					      .hang_after_ns = deadlocks->hang_after_ns};
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

	/* who returns from main() has not said with which status */
	if (status < 0 || (process->end && process->end_value >= 0) || !reader->session.writable ||
	    (geteuid() && process->uid != geteuid()))
		return status >= 0;
	__atomic_fetch_or(&process->flags, MPSAN_PROCESS_OBSERVED, __ATOMIC_RELAXED);
	process->end_value = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
	process->end = WIFSIGNALED(status) ? MPSAN_END_SIGNAL : MPSAN_END_EXIT;
	return true;
}

/* Seen from outside, its parent may have ended it itself by terminate() or kill(). */
static bool ended_badly(const struct mon_failures *mon_failures,
			const struct mpsan_process *process)
{
	bool by_parent = mon_failures->workers->snapshot->outside &&
			 (process->end_value == SIGTERM || process->end_value == SIGKILL);

	return process_failed(process) && !(process->end == MPSAN_END_SIGNAL && by_parent);
}

/* Other programs answer by it, as grep does, or were asked to end. */
static bool says_nothing(const struct mpsan_process *process)
{
	return process->end == MPSAN_END_EXIT ?
		       process->end_value == 1 :
		       process->end_value == SIGPIPE || process->end_value == SIGTERM ||
			       process->end_value == SIGINT || process->end_value == SIGHUP;
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

/* Whether a process has started no other since then. */
static bool starts_nothing(const struct facts *facts, uint32_t parent, uint64_t since_ns)
{
	for (uint32_t i = 0; i < facts->process_count; i++)
		if (process_parent(facts, i) == parent && fact_made_ns(facts, i) > since_ns)
			return false;
	return true;
}

/* A loop that tests something, however often: the sleep of a loop that works is the same, but who has workers asks after them. */
static bool sleeps_again(const struct snapshot *snapshot, const struct snapshot_thread *thread)
{
	return snapshot_polls(snapshot, thread) ||
	       (thread->same_ns && thread->rounds && call_is_sleep(&thread->same));
}

/* Since when it stands, or sleeps again and again, or runs in one loop that only tests; UINT64_MAX: it does more. */
static uint64_t rests_since_ns(const struct mon_failures *mon_failures, uint32_t thread)
{
	const struct snapshot *snapshot = mon_failures->workers->snapshot;
	const struct snapshot_thread *at = &snapshot->threads.item[thread];

	if (in_vain_spins(mon_failures->deadlocks, at))
		return ledger_of(snapshot, thread)->run.since_ns;
	return sleeps_again(snapshot, at) ? at->same_ns : snapshot_rests(snapshot, at);
}

/*
 * The main thread, if it has stood at one place, or always come back there, for as long as a hang lasts, all that time after
 * the worker's end: nobody has asked after it, or it would not be a zombie any more. SNAPSHOT_NONE: it has not.
 */
static uint32_t who_rests(const struct mon_failures *mon_failures, uint32_t parent,
			  uint64_t since_ns)
{
	const struct snapshot *snapshot = mon_failures->workers->snapshot;
	uint32_t at = snapshot_process(snapshot, parent), first;
	const struct snapshot_thread *thread;
	uint64_t rests_ns;

	if (at == SNAPSHOT_NONE || !mon_failures->hang_after_ns)
		return SNAPSHOT_NONE;
	first = snapshot->processes.item[at].begin;
	thread = &snapshot->threads.item[first];
	rests_ns = rests_since_ns(mon_failures, first);
	if (thread->tid != thread->pid || rests_ns > snapshot->now_ns)
		return SNAPSHOT_NONE;
	since_ns = rests_ns > since_ns ? rests_ns : since_ns;
	return snapshot->now_ns >= since_ns + mon_failures->hang_after_ns &&
			       starts_nothing(&snapshot->reader->facts, parent, since_ns) ?
		       first :
		       SNAPSHOT_NONE;
}

static void mon_failures_state(const struct mon_failures *mon_failures, struct watchlog *log,
			       uint32_t worker, uint32_t waiter, uint64_t lasted_ns,
			       uint32_t failures)
{
	const struct snapshot_thread *thread =
		&mon_failures->workers->snapshot->threads.item[waiter];
	AUTO_FREE char *python = pythread_stack(thread);
	struct ev_worker_failure event = {
		.worker_slot = worker + 1,
		.waits_for = failures || mon_failures->waits->item.item[waiter].kind !=
						     MPSAN_WAIT_PROCESS ?
				     0 :
				     mon_failures->waits->item.item[waiter].lock,
		.lasted = lasted_ns,
		.stack = watchlog_stack(log, thread),
		.python = *python ? watchlog_text(log, thread->slot, python) : 0,
		.failures = failures,
	};

	watchlog_put(log, EV_worker_failure, thread->slot, thread->own_tid, &event, sizeof(event));
}

/* ---- pools that replace workers for ever ---- */

/* The main thread of a process, if it waits for results of a pool. */
static uint32_t who_wants_results(const struct mon_failures *mon_failures, uint32_t slot)
{
	const struct snapshot *snapshot = mon_failures->workers->snapshot;
	uint32_t at = snapshot_process(snapshot, slot), thread;

	if (at == SNAPSHOT_NONE)
		return SNAPSHOT_NONE;
	thread = snapshot->processes.item[at].begin;
	return pythread_part(&snapshot->threads.item[thread]) == CROSS_PART_WAITER ? thread :
										     SNAPSHOT_NONE;
}

/* How many workers of a process have failed since then; 0 if one has ended well. */
static uint32_t count_failures(const struct reader *reader, uint32_t parent, uint64_t since_ns)
{
	uint32_t count = 0;

	READER_EACH_SLOT(reader, slot) {
		const struct mpsan_process *process = &reader->session.table[slot];

		if (!reader->processes[slot].gone || reader->processes[slot].gone_ns < since_ns ||
		    process_parent(&reader->facts, slot) != parent ||
		    !process_is_worker(&reader->facts, slot))
			continue;
		if (process->end != MPSAN_END_EXIT || process->end_value <= 0)
			return 0;
		count++;
	}
	return count;
}

/* A pool starts another worker for each that ends: if all fail, no task is ever done. */
static void look_at_replacements(struct mon_failures *mon_failures, struct watchlog *log,
				 uint32_t failed)
{
	const struct reader *reader = mon_failures->workers->reader;
	uint32_t parent = process_parent(&reader->facts, failed), waiter, failures;
	uint64_t since_ns;

	if (parent == FACT_NONE || mon_failures->done[parent])
		return;
	waiter = who_wants_results(mon_failures, parent);
	if (waiter == SNAPSHOT_NONE)
		return;
	since_ns = mon_failures->workers->snapshot->threads.item[waiter].still_ns;
	failures = count_failures(reader, parent, since_ns);
	if (failures < REPLACED)
		return;
	mon_failures->done[parent] = true;
	mon_failures_state(mon_failures, log, failed, waiter,
			   mon_failures->workers->snapshot->now_ns - since_ns, failures);
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
	bool answers;

	if (process->flags & MPSAN_PROCESS_REPLACED)
		return true;
	/* its log says that it has ended slightly before the kernel does */
	if (!complete_end(reader, slot))
		return session_liveness(&reader->session, slot) == GONE;
	answers = process_answers_by_end(&reader->facts, slot);
	if (!ended_badly(mon_failures, process) || (answers && says_nothing(process)))
		return true;
	parent = process_parent(&reader->facts, slot);
	if (parent == FACT_NONE || reader->processes[parent].gone)
		return true;
	waiter = answers ? SNAPSHOT_NONE : who_waits(mon_failures, parent, process->pid);
	if (waiter == SNAPSHOT_NONE ||
	    session_handlers(&reader->session, parent) & 1ull << (SIGCHLD - 1))
		waiter = who_rests(mon_failures, parent, since);
	else if (mon_failures->workers->snapshot->threads.item[waiter].still_ns > since)
		since = mon_failures->workers->snapshot->threads.item[waiter].still_ns;
	if (waiter == SNAPSHOT_NONE || now_ns < since + LATE_NS)
		return false;
	mon_failures_state(mon_failures, log, slot, waiter,
			   now_ns - reader->processes[slot].gone_ns, 0);
	return true;
}

void mon_failures_look(struct mon_failures *mon_failures, struct watchlog *log)
{
	const struct reader *reader = mon_failures->workers->reader;
	uint32_t failed = FACT_NONE;

	READER_EACH_SLOT(reader, slot) {
		if (!reader->processes[slot].gone || mon_failures->done[slot])
			continue;
		mon_failures->done[slot] = mon_failures_look_at(mon_failures, log, slot);
		if (reader->session.table[slot].end == MPSAN_END_EXIT &&
		    reader->session.table[slot].end_value > 0)
			failed = slot;
	}
	if (failed != FACT_NONE)
		look_at_replacements(mon_failures, log, failed);
}
