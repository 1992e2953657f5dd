/* SPDX-License-Identifier: Apache-2.0 */
/* Names the handlers of signals that could end a wait. */
#include "handlers.h"

#include <stdlib.h>
#include <string.h>

#include "../base/util.h"
#include "../proc/proc.h"
#include "../proc/process/status.h"
#include "../waits/pythreads.h"

/* Python's own handler for SIGINT raises KeyboardInterrupt; that for SIGCHLD says little. */
static uint64_t handlers_of(const struct session *session, uint32_t slot)
{
	const uint64_t child = 1ull << (SIGCHLD - 1), interrupt = 1ull << (SIGINT - 1);
	uint64_t handlers = session_handlers(session, slot);

	return handlers == UINT64_MAX ?
		       0 :
		       handlers & ~(session->table[slot].python ? child | interrupt : child);
}

static char *handler_text(uint32_t pid, int number)
{
	AUTO_FREE char *signal = text_signal(number), *where = pythread_handler(pid, number);

	return *where ? text_format("%s, handled at %s", signal, where) : text_copy(signal);
}

char *handlers_text(const struct session *session, uint32_t slot, uint64_t signals)
{
	uint64_t handlers = handlers_of(session, slot) & signals;
	char *list = text_copy("");

	for (int number = 1; number <= 64; number++)
		if (handlers >> (number - 1) & 1)
			list = text_join(list, "; ",
					 handler_text(session_pid(session, slot), number));
	return list;
}

struct blocked {
	uint32_t pid;
	uint64_t by_all;
};

static void see_thread(uint32_t tid, void *context)
{
	struct blocked *blocked = context;
	uint64_t signals;

	blocked->by_all &= proc_status_number(blocked->pid, tid, "SigBlk", 16, &signals) ? signals :
											   0;
}

uint64_t handlers_to_come(const struct snapshot *snapshot, uint32_t slot)
{
	uint32_t process = snapshot_process(snapshot, slot);
	const struct snapshot_thread *first;
	struct blocked blocked = {.by_all = UINT64_MAX};

	if (process == SNAPSHOT_NONE)
		return UINT64_MAX;
	first = &snapshot->threads.item[snapshot->processes.item[process].begin];
	blocked.pid = first->pid;
	if (!proc_threads(first->pid, see_thread, &blocked))
		blocked.by_all = 0;
	return ~(blocked.by_all | pythread_handles(first, UINT64_MAX));
}

bool handlers_run(const struct snapshot *snapshot, const struct snapshot_thread *thread)
{
	return thread->tid == thread->pid && snapshot->reader->session.table[thread->slot].python &&
	       pythread_handles(thread, UINT64_MAX);
}

bool handlers_are_none(const struct session *session, uint32_t slot)
{
	const uint64_t faults = 1ull << (SIGSEGV - 1) | 1ull << (SIGBUS - 1) |
				1ull << (SIGFPE - 1) | 1ull << (SIGILL - 1) |
				1ull << (SIGTRAP - 1) | 1ull << (SIGABRT - 1) |
				1ull << (SIGSYS - 1),
		       of_libc = 1ull << (32 - 1) | 1ull << (33 - 1);

	return !session->table[slot].python &&
	       !(session_handlers(session, slot) & ~(faults | of_libc));
}

uint64_t handlers_that_end(const struct session *session, const struct snapshot_thread *thread,
			   bool needs_owner)
{
	uint64_t handlers = session_handlers(session, thread->slot);
	const uint64_t interrupt = 1ull << (SIGINT - 1);
	AUTO_FREE char *function = NULL;

	if (needs_owner)
		return 0;
	if (pythread_waits_for_event(thread))
		return handlers;
	if (handlers == UINT64_MAX)
		return 0;
	if (!(handlers & interrupt) || !session->table[thread->slot].python)
		return handlers;
	function = pythread_handler(thread->pid, SIGINT);
	handlers &= *function ? UINT64_MAX : ~interrupt;
	return handlers;
}

bool handlers_end_loop(const struct session *session, const struct snapshot_thread *thread)
{
	AUTO_FREE char *function = pythread_handler(thread->pid, SIGINT);
	bool raises = !*function || strstr(function, "_on_sigint (runners.py:");

	return handlers_that_end(session, thread, false) & ~(raises ? 1ull << (SIGINT - 1) : 0);
}
