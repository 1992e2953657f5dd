/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that poll for what a worker of their process was to send that has failed: who does not ask after
 * it waits in vain, limit after limit. Neighbours: waits_look.h, waits_fd.c.
 */
#include <signal.h>
#include <string.h>

#include "../facts/processes.h"
#include "../job/patience.h"
#include "../proc/calls.h"
#include "pythreads.h"
#include "waits_look.h"

#define FAILED_ROUNDS 3u

/* Nobody has asked for its end yet: the kernel keeps its status. */
static bool is_failed_worker(const struct look *look, uint32_t slot)
{
	const struct reader *reader = look->snapshot->reader;
	const struct mpsan_process *process = &reader->session.table[slot];

	return reader->processes[slot].gone && process_is_worker(&reader->facts, slot) &&
	       process_failed(process) && proc_ended(session_pid(&reader->session, slot)) >= 0 &&
	       !process_was_ended_by_another(&reader->facts, slot);
}

/* Since when the first of them has been gone; 0: there is none, or others are started meanwhile. */
static uint64_t failed_ns(const struct look *look)
{
	const struct reader *reader = look->snapshot->reader;
	uint64_t since = 0;

	READER_EACH_SLOT(reader, slot) {
		if (process_parent(&reader->facts, slot) != look->thread->slot)
			continue;
		if (fact_made_ns(&reader->facts, slot) > look->thread->same_ns)
			return 0;
		if (is_failed_worker(look, slot) &&
		    (!since || reader->processes[slot].gone_ns < since))
			since = reader->processes[slot].gone_ns;
	}
	return since;
}

/* Between two waits it also runs what its coroutines do. */
static bool is_event_loop(const struct snapshot_thread *thread)
{
	AUTO_FREE char *stack = pythread_stack(thread);

	return call_is_loop(&thread->call) || strstr(stack, "/asyncio/");
}

enum look_failed look_add_failed(struct look *look)
{
	const struct snapshot_thread *thread = look->thread;
	uint64_t now_ns = look->snapshot->now_ns, since, round_ns;
	bool polls = snapshot_polls(look->snapshot, thread);

	if (thread->tid != thread->pid ||
	    (!polls && now_ns - thread->still_ns < PATIENCE_NS(FAILED)))
		return LOOK_FAILED_NO;
	since = failed_ns(look);
	round_ns = polls ? (now_ns - thread->same_ns) / thread->rounds : 0;
	return since && now_ns - since >= PATIENCE_NS(FAILED) &&
			       now_ns - since >= FAILED_ROUNDS * round_ns &&
			       !(look_handlers(look) & 1ull << (SIGCHLD - 1)) &&
			       !is_event_loop(thread) ?
		       polls ? LOOK_FAILED_POLLS : LOOK_FAILED_STANDS :
		       LOOK_FAILED_NO;
}
