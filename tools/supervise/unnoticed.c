/* See unnoticed.h. */
#include "unnoticed.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../facts/people.h"
#include "../waitgraph/pythreads.h"

#define LATE_NS 1000000000ull

void unnoticed_init(struct unnoticed *unnoticed, const struct crowd *crowd,
		    const struct waits *waits)
{
	*unnoticed = (struct unnoticed){.crowd = crowd, .waits = waits};
	unnoticed->done = memory_get(crowd->reader->session.slots * sizeof(*unnoticed->done));
}

void unnoticed_finish(struct unnoticed *unnoticed)
{
	free(unnoticed->done);
	*unnoticed = (struct unnoticed){0};
}

/*
 * While its parent has not asked, the kernel has the answer, and a dead process is still there. False: it is
 * not. What another user's process answers is not told.
 */
static bool complete_end(const struct reader *reader, uint32_t slot)
{
	struct mpsan_process *process = &reader->session.table[slot];
	int status = proc_ended(process->pid);

	if (status < 0 || process->end || !reader->session.writable ||
	    (geteuid() && process->uid != geteuid()))
		return status >= 0;
	process->end_value = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
	process->end = WIFSIGNALED(status) ? MPSAN_END_SIGNAL : MPSAN_END_EXIT;
	return true;
}

static bool ended_badly(const struct mpsan_process *process)
{
	return process->end == MPSAN_END_SIGNAL ||
	       (process->end == MPSAN_END_EXIT && process->end_value > 0);
}

/* Whether a thread will not look at the ends of workers before it is woken for something else. */
static bool is_elsewhere(const struct unnoticed *unnoticed, uint32_t thread)
{
	const struct proc_call *call = &unnoticed->crowd->census->threads.item[thread].call;

	if (call->state != PROC_IN_CALL || unnoticed->waits->item.item[thread].timed)
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

/* The thread that waits for one other process; CENSUS_NONE: there is none, or somebody may notice. */
static uint32_t who_waits(const struct unnoticed *unnoticed, uint32_t parent, uint32_t worker_pid)
{
	const struct census *census = unnoticed->crowd->census;
	uint32_t at = census_process(census, parent), found = CENSUS_NONE;

	if (at == CENSUS_NONE)
		return CENSUS_NONE;
	for (uint32_t i = census->processes.item[at].begin; i < census->processes.item[at].end;
	     i++) {
		const struct wait *wait = &unnoticed->waits->item.item[i];

		if (wait->kind == MPSAN_WAIT_PROCESS && wait->lock && wait->lock != worker_pid)
			found = i;
		else if (!is_elsewhere(unnoticed, i))
			return CENSUS_NONE;
	}
	return found;
}

static void state(const struct unnoticed *unnoticed, struct watchlog *log, uint32_t worker,
		  uint32_t waiter, uint64_t lasted_ns)
{
	const struct census_thread *thread = &unnoticed->crowd->census->threads.item[waiter];
	char *python = pythread_stack(thread);
	struct ev_unnoticed event = {
		.worker_slot = worker + 1,
		.waits_for = unnoticed->waits->item.item[waiter].lock,
		.lasted = lasted_ns,
		.stack = watchlog_stack(log, thread),
		.python = *python ? watchlog_text(log, thread->slot, python) : 0,
	};

	watchlog_put(log, EV_unnoticed, thread->slot, thread->tid, &event, sizeof(event));
	free(python);
}

/* True when nothing more can come of it. */
static bool look_at(const struct unnoticed *unnoticed, struct watchlog *log, uint32_t slot)
{
	const struct reader *reader = unnoticed->crowd->reader;
	const struct mpsan_process *process = &reader->session.table[slot];
	uint64_t now_ns = unnoticed->crowd->census->now_ns, since = reader->processes[slot].gone_ns;
	uint32_t parent, waiter;

	if (process->flags & MPSAN_PROCESS_REPLACED)
		return true;
	/* It says that it ends a moment before the kernel does. */
	if (!complete_end(reader, slot))
		return session_liveness(&reader->session, slot) == GONE;
	if (!people_is_worker(&reader->facts, slot) || !ended_badly(process))
		return true;
	parent = people_parent(&reader->facts, slot);
	if (parent == FACT_NONE || reader->processes[parent].gone)
		return true;
	waiter = who_waits(unnoticed, parent, process->pid);
	if (waiter == CENSUS_NONE)
		return false;
	if (unnoticed->crowd->census->threads.item[waiter].still_ns > since)
		since = unnoticed->crowd->census->threads.item[waiter].still_ns;
	if (now_ns < since + LATE_NS)
		return false;
	if (!(proc_handlers(&reader->session.table[parent]) & 1ull << (SIGCHLD - 1)))
		state(unnoticed, log, slot, waiter, now_ns - reader->processes[slot].gone_ns);
	return true;
}

void unnoticed_look(struct unnoticed *unnoticed, struct watchlog *log)
{
	const struct reader *reader = unnoticed->crowd->reader;

	READER_EACH_SLOT(reader, slot)
		if (reader->processes[slot].gone && !unnoticed->done[slot])
			unnoticed->done[slot] = look_at(unnoticed, log, slot);
}
