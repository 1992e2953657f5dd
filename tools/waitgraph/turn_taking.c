/* SPDX-License-Identifier: Apache-2.0 */
/* Compares where two threads take a lock: by the line that took it, or by their Python functions. */
#include "turn_taking.h"

#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "../proc/calls.h"
#include "../waits/ledger.h"
#include "../waits/pythreads.h"

static bool waits_for_sender(const struct snapshot_thread *thread, const struct wait *wait)
{
	if (wait_kind(wait->kind)->act == ACT_WRITE)
		return true;
	switch (thread->call.state == PROC_IN_CALL ? thread->call.number : -1) {
	case SYS_accept:
	case SYS_accept4:
	case SYS_read:
	case SYS_recvfrom:
	case SYS_recvmsg:
		return true;
	default:
		return call_is_poll(&thread->call);
	}
}

/* The function and file of the innermost frame that is not of the locks' own modules; the caller frees it. */
static char *function_of(const struct snapshot_thread *thread)
{
	char *stack = pythread_stack(thread), *line = stack, *end;

	while ((end = strchr(line, '\n'))) {
		*end = '\0';
		if (!strstr(line, "/synchronize.py\t") && !strstr(line, "/threading.py\t"))
			break;
		line = end + 1;
	}
	end = strrchr(line, '\t');
	if (end)
		end[1] = '\0'; /* any line of it */
	line = text_copy(end ? line : "");
	free(stack);
	return line;
}

static bool is_same_function(const struct snapshot_thread *one, const struct snapshot_thread *other)
{
	AUTO_FREE char *function = function_of(one), *stack = pythread_stack(other);

	return *function && strstr(stack, function);
}

static bool is_same_place(const struct waits *waits, uint32_t index,
			  const struct snapshot_thread *holder)
{
	const struct snapshot_thread *thread = &waits->snapshot->threads.item[index];
	const struct wait *wait = &waits->item.item[index];
	struct mpsan_hold hold;

	if (waits->snapshot->reader->session.table[thread->slot].python)
		return is_same_function(thread, holder);
	return snapshot_holds(holder, wait->lock, &hold) && wait->caller &&
	       hold.caller == wait->caller;
}

/* The frames of threads that do not run stay the same: those of two that take turns are read once. */
bool turns_are_taken(const struct waits *waits, uint32_t index)
{
	struct ledger_stand *stand = &ledger_of(waits->snapshot, index)->stand;
	const struct wait *wait = &waits->item.item[index];
	const struct snapshot_thread *holder;
	uint32_t by;

	if (wait->end != WAIT_OWNERS || wait->count != 1)
		return false;
	by = waits->who.item[wait->begin];
	holder = &waits->snapshot->threads.item[by];
	if (by == index || !waits_for_sender(holder, &waits->item.item[by]))
		return false;
	if (holder->runs && stand->turn_of == holder->tid && stand->turn_runs == holder->runs)
		return true;
	stand->turn_of = is_same_place(waits, index, holder) ? holder->tid : 0;
	stand->turn_runs = holder->runs;
	return stand->turn_of;
}
