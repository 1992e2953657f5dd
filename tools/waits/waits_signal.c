/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the handler of a signal changes about the wait in which it is: the same signal does not end it, and a lock of libc
 * may be the one that the interrupted call has. Neighbour: waits_look.h.
 */
#include <string.h>
#include <sys/syscall.h>

#include "../proc/calls.h"
#include "../proc/process/status.h"
#include "native.h"
#include "pythreads.h"
#include "waits_look.h"

/* ---- signals that do not come ---- */

uint64_t look_blocked(const struct look *look, uint64_t signals)
{
	const struct snapshot_process *process =
		&look->snapshot->processes.item[look->thread->process];

	for (uint32_t i = process->begin; signals && i < process->end; i++) {
		uint64_t blocked;

		signals &= proc_status_number(look->thread->pid,
					      look->snapshot->threads.item[i].tid, "SigBlk", 16,
					      &blocked) ?
				   blocked :
				   0;
	}
	return signals;
}

uint64_t look_handled(struct look *look, uint64_t signals)
{
	struct snapshot_thread *thread = look->thread;

	if (!signals || thread->tid != thread->pid || !look_has_frames(look))
		return 0;
	if (thread->handled_ns != thread->still_ns)
		thread->handled = pythread_handles(thread, signals);
	thread->handled_ns = thread->still_ns;
	return thread->handled & signals;
}

/* ---- locks of libc ---- */

#define FRAMES 48u

/* A thread that has no lock of libc: it sleeps, or waits for a signal, a child, an event, or a lock of the program. */
static bool is_outside(const struct snapshot_thread *thread)
{
	const struct proc_call *call = &thread->call;

	return call->state == PROC_IN_CALL &&
	       (call_is_sleep(call) || call_is_poll(call) || call_awaits_signal(call) ||
		call->number == SYS_wait4 ||
		(call->number == SYS_futex && snapshot_wanted(thread).tag &&
		 MPSAN_TAG_KIND(snapshot_wanted(thread).tag) != MPSAN_LOCK_LIBC));
}

static bool others_are_outside(const struct look *look)
{
	const struct snapshot_process *process =
		&look->snapshot->processes.item[look->thread->process];

	for (uint32_t i = process->begin; i < process->end; i++)
		if (&look->snapshot->threads.item[i] != look->thread &&
		    !is_outside(&look->snapshot->threads.item[i]))
			return false;
	return true;
}

static bool in_libc(const struct look *look, uint64_t pc)
{
	struct proc_mapping mapping;

	return proc_mapping_lately(look->thread->pid, pc, &mapping) && mapping.in_libc;
}

/* The functions of libc from a frame on; none: that frame is not libc's. */
struct calls {
	const char *name[FRAMES];
	size_t count;
};

static struct calls calls_from(const struct look *look, const struct modules *modules,
			       const uint64_t *pcs, size_t count)
{
	struct calls calls = {.count = 0};

	for (size_t i = 0; i < count && in_libc(look, pcs[i]); i++) {
		struct symbol symbol = {0};

		if (native_name(look->waits->native, modules, pcs[i], true, &symbol) &&
		    symbol.function)
			calls.name[calls.count++] = symbol.function;
	}
	return calls;
}

/* What is in the names of functions that share one lock, of the heap or of the time zone. */
static const char *const families[][2] = {{"alloc", "_free"}, {"tz", "tz"}};

static bool is_in_family(const struct calls *calls, const char *const *words)
{
	for (size_t i = 0; i < calls->count; i++)
		if (strstr(calls->name[i], words[0]) || strstr(calls->name[i], words[1]))
			return true;
	return false;
}

static bool share_one(const struct calls *one, const struct calls *other)
{
	for (size_t i = 0; i < sizeof(families) / sizeof(*families); i++)
		if (is_in_family(one, families[i]) && is_in_family(other, families[i]))
			return true;
	for (size_t i = 0; i < one->count; i++)
		for (size_t k = 0; k < other->count; k++)
			if (!strcmp(one->name[i], other->name[k]))
				return true;
	return false;
}

bool classify_interrupted(struct look *look)
{
	uint8_t signals[FRAMES] = {0};
	uint64_t pcs[FRAMES];
	const struct modules *modules;
	struct calls waits, interrupted;
	size_t count, at = 0;

	if (look->thread->looks <= 1)
		return false;
	count = native_stack(look->waits->native, look->thread, pcs, signals, FRAMES, &modules);
	while (at < count && !signals[at])
		at++;
	if (at + 1 >= count)
		return false;
	waits = calls_from(look, modules, pcs, at);
	interrupted = calls_from(look, modules, pcs + at + 1, count - at - 1);
	if (!share_one(&waits, &interrupted) || !others_are_outside(look))
		return false;
	look_add_owner(look, (uint32_t)(look->thread - look->snapshot->threads.item));
	return true;
}

/* glibc's lock of a FILE (_IO_lock_t). */
struct stream_lock {
	uint32_t word, times;
	uint64_t owner; /* pthread_self() */
};

bool classify_stream(struct look *look, uint64_t address)
{
	const struct snapshot_process *process =
		&look->snapshot->processes.item[look->thread->process];
	struct stream_lock lock;

	if (address % 8 || !proc_peek(look->thread->pid, address, &lock, sizeof(lock)) ||
	    lock.word != 2 || !lock.times || !lock.owner)
		return false;
	for (uint32_t i = process->begin; i < process->end; i++) {
		if (look_handle(&look->snapshot->threads.item[i]) != lock.owner)
			continue;
		look->wait->kind = MPSAN_LOCK_LIBC;
		look->wait->flags |= MPSAN_LF_VERIFIED;
		look_add_owner(look, i);
		return true;
	}
	return false;
}
