/* SPDX-License-Identifier: Apache-2.0 */
/* Tells main threads that only test from those that do more. */
#include "in_vain.h"

#include <signal.h>
#include <string.h>

#include "../../shim/common/hash.h"
#include "../facts/processes.h"
#include "../proc/calls.h"
#include "../proc/proc.h"
#include "../proc/process/status.h"
#include "../proc/procmaps.h"
#include "../proc/stacks/stack_sample.h"
#include "../proc/stacks/stack_spin.h"
#include "../waits/pythreads.h"
#include "orphans.h"
#include "peer_waits.h"

#define ASK_NS 1000000000ull
#define TIMES 8u /* that a loop was seen to test only, at looks one after the other, */
#define DOUBT 3u /* less so many for each time that it seemed to do more */
#define BUSY 8u /* of so many parts of the time, all but one on a processor, or waiting for one */
#define TICKS 4u /* of the profiler, at which it is in the interpreter, */
#define MISSED 5u /* while it has no processor */
#define SHARED 8u /* pieces of shared memory, */
#define SHARED_BYTES (64u << 10) /* of which so much is looked at */
#define LATER 8u /* parts of --hang-after until one that computes is looked at again */

static struct ledger_entry *entry_of(const struct deadlocks *deadlocks,
				     const struct snapshot_thread *thread)
{
	return ledger_of(&deadlocks->snapshot, thread->entry - 1);
}

/* Whether it is alone in a process that was forked from one with more threads: what these would do nobody does there. */
static bool has_lost_threads(const struct deadlocks *deadlocks,
			     const struct snapshot_thread *thread)
{
	const struct snapshot_process *process =
		&deadlocks->snapshot.processes.item[thread->process];

	return process->end - process->begin == 1 &&
	       process_fork_of_threads(&deadlocks->reader->facts, thread->slot) != FACT_NONE;
}

bool in_vain_lacks_threads(const struct deadlocks *deadlocks, const struct snapshot_thread *thread)
{
	return thread->tid == thread->pid && has_lost_threads(deadlocks, thread) &&
	       pythread_waits_for_event(thread);
}

bool in_vain_spins(const struct deadlocks *deadlocks, const struct snapshot_thread *thread)
{
	return entry_of(deadlocks, thread)->run.times >= TIMES;
}

/* Whether it is a main thread that does nothing but sleep, or wait with a limit, again and again. A manager's is to. */
static bool naps(const struct deadlocks *deadlocks, const struct snapshot_thread *thread)
{
	return thread->tid == thread->pid && snapshot_wakes(thread) &&
	       (call_is_sleep(&thread->call) || call_has_limit(&thread->call)) &&
	       !deadlocks->waits.item.item[thread - deadlocks->snapshot.threads.item].harmless;
}

/*
 * Whether it waits for what others are to send. A coroutine that sleeps may do more in between; not so, perhaps, where the
 * last child has failed meanwhile: the loop has asked for its status, but who sleeps may not have.
 */
static bool wants_more(const struct deadlocks *deadlocks, const struct snapshot_thread *thread,
		       struct awaited_frames frames)
{
	if (frames.what == AWAITED_LOOP && pythread_runs(thread, "sleep", "asyncio/tasks.py"))
		return orphans_nap_lacks(&deadlocks->snapshot, thread) != FACT_NONE;
	return frames.what != AWAITED_NOTHING && frames.meant != PARKED_BY_CALL;
}

/*
 * Whether what it tests for is up to the job: nobody else ends a wait for a futex, nor one whose frames say so. A loop of
 * events that wakes up now and then may serve others: who could make a descriptor ready, or send a signal that it handles.
 */
static bool is_up_to_job(struct deadlocks *deadlocks, const struct snapshot_thread *thread)
{
	struct awaited_frames frames = pythread_wait(thread, 0).frames;

	if (frames.what == AWAITED_DUE)
		return false;
	if (!call_is_poll(&thread->call) || call_is_sleep(&thread->call) ||
	    has_lost_threads(deadlocks, thread))
		return true;
	return wants_more(deadlocks, thread, frames) &&
	       !(frames.meant == PARKED_INTENDED && peer_waits_any_serves(&deadlocks->waits)) &&
	       !ready_sets_find(&deadlocks->waits.wakers.ready, &deadlocks->snapshot, thread)->open;
}

uint64_t in_vain_from_ns(const struct deadlocks *deadlocks)
{
	uint64_t patience = IN_VAIN_PATIENCE * deadlocks->hang_after_ns;

	return deadlocks->snapshot.now_ns > patience ? deadlocks->snapshot.now_ns - patience : 0;
}

bool in_vain_told(const struct deadlocks *deadlocks, uint32_t slot)
{
	const struct facts *facts = &deadlocks->reader->facts;
	int told = process_was_told_to_end(facts, slot, deadlocks->snapshot.now_ns);

	return told && (told != SIGTERM ||
			process_was_told_to_end(facts, slot, in_vain_from_ns(deadlocks)));
}

/* Whether all that do not spin wait for others of their job: none of them could get work from outside. */
static bool others_wait_for_job(const struct deadlocks *deadlocks)
{
	for (uint32_t i = 0; i < deadlocks->snapshot.threads.count; i++)
		if (wait_is_apart(&deadlocks->waits.item.item[i]) &&
		    !in_vain_spins(deadlocks, &deadlocks->snapshot.threads.item[i]))
			return false;
	return true;
}

bool in_vain(const struct deadlocks *deadlocks, const struct snapshot_thread *thread)
{
	bool spins = in_vain_spins(deadlocks, thread);
	uint64_t since_ns = spins ? entry_of(deadlocks, thread)->run.since_ns : thread->same_ns;

	return (spins || naps(deadlocks, thread)) &&
	       (since_ns + IN_VAIN_PATIENCE * deadlocks->hang_after_ns <=
			deadlocks->snapshot.now_ns ||
		has_lost_threads(deadlocks, thread) || (spins && others_wait_for_job(deadlocks)));
}

bool in_vain_any(const struct deadlocks *deadlocks)
{
	for (uint32_t i = 0; i < deadlocks->snapshot.threads.count; i++)
		if (in_vain(deadlocks, &deadlocks->snapshot.threads.item[i]))
			return true;
	return false;
}

/*
 * The begin of each piece of shared memory that a process may write, but mpsan's own and that of devices: who changes it
 * may be any process of the job. Not semaphores: a loop takes the lock of what it reads.
 */
static uint64_t shared_bytes(const struct deadlocks *deadlocks, uint32_t pid)
{
	const char *own = deadlocks->reader->session.dir;
	struct procmaps_walk walk = procmaps_begin(pid);
	static uint8_t bytes[SHARED_BYTES];
	uint64_t hash = HASH_EMPTY;
	unsigned count = 0;
	long got;

	while (procmaps_next(&walk) && count < SHARED) {
		const struct procmap *at = &walk.at;
		uint64_t size = at->end - at->start < sizeof(bytes) ? at->end - at->start :
								      sizeof(bytes);

		if (at->rights[1] != 'w' || at->rights[3] != 's' ||
		    !strncmp(at->path, own, strlen(own)) || procmap_is_device(at) ||
		    !strncmp(at->path, "/dev/shm/sem.", 13))
			continue;
		count++;
		got = proc_read(pid, at->start, bytes, size);
		hash = hash_bytes(hash, bytes, got > 0 ? (uint64_t)got : 0);
	}
	procmaps_end(&walk);
	return hash;
}

/*
 * Whether its process has read and written nothing for that long, and nobody its shared memory: one that logs, or asks,
 * does more than test, and a job that counts goes on.
 */
static bool is_mute(struct deadlocks *deadlocks, const struct snapshot_thread *thread,
		    uint64_t for_ns)
{
	struct ledger_rest *rest = &entry_of(deadlocks, thread)->rest;
	uint64_t now_ns = deadlocks->snapshot.now_ns, calls, done;

	if (rest->asked_ns && now_ns < rest->asked_ns + ASK_NS)
		return false;
	done = proc_transfers(thread->pid, 0, &calls) ?
		       hash_add(shared_bytes(deadlocks, thread->pid), calls) :
		       0;
	if (!done || !rest->asked_ns || done != rest->done)
		rest->mute_ns = now_ns;
	rest->asked_ns = now_ns;
	rest->done = done;
	return now_ns >= rest->mute_ns + for_ns;
}

bool in_vain_tests(struct deadlocks *deadlocks, const struct snapshot_thread *thread)
{
	const struct ledger_entry *entry = entry_of(deadlocks, thread);
	uint64_t now_ns = deadlocks->snapshot.now_ns, long_ns = deadlocks->hang_after_ns;

	if (in_vain_spins(deadlocks, thread))
		return entry->run.since_ns + long_ns <= now_ns &&
		       entry->rest.mute_ns + long_ns / 2 <= now_ns;
	return naps(deadlocks, thread) && is_mute(deadlocks, thread, long_ns) &&
	       is_up_to_job(deadlocks, thread);
}

/* ---- threads that run ---- */

/* Whether this wait is for that thread, or for the end of its process. */
static bool is_waited_for(const struct waits *waits, const struct wait *wait,
			  const struct snapshot_thread *thread)
{
	uint32_t ender = wait->end == WAIT_OWNERS ? thread->entry - 1 : thread->process;

	if (wait->end != WAIT_OWNERS && wait->end != WAIT_PROCESSES)
		return false;
	for (uint32_t i = wait->begin; i < wait->begin + wait->count; i++)
		if (waits->who.item[i] == ender)
			return true;
	return false;
}

/* Whether the job may wait for it: a main thread, or one that could end a main thread's wait. */
static bool is_awaited(const struct deadlocks *deadlocks, const struct snapshot_thread *thread)
{
	const struct waits *waits = &deadlocks->waits;

	if (thread->tid == thread->pid)
		return true;
	for (uint32_t i = 0; i < waits->item.count; i++) {
		const struct snapshot_thread *waiter = &deadlocks->snapshot.threads.item[i];

		if (waiter->tid == waiter->pid &&
		    is_waited_for(waits, &waits->item.item[i], thread))
			return true;
	}
	return false;
}

/* One that was found running for half of that time, always: the other half is for a close look. */
static bool may_spin(const struct deadlocks *deadlocks, const struct snapshot_thread *thread)
{
	const struct ledger_run *run = &entry_of(deadlocks, thread)->run;
	uint64_t passed_ns = deadlocks->snapshot.now_ns - run->since_ns;

	return run->since_ns && passed_ns >= deadlocks->hang_after_ns / 2 &&
	       thread->time.ran_ns + thread->time.waited_ns - run->busy_ns >=
		       passed_ns / BUSY * (BUSY - 1) &&
	       is_awaited(deadlocks, thread);
}

/* Whether one runs that may spin, and all others have rested for as long: who else runs may set what it tests for. */
static bool others_rest(const struct deadlocks *deadlocks)
{
	const struct snapshot *snapshot = &deadlocks->snapshot;
	uint64_t since_ns = snapshot->now_ns - deadlocks->hang_after_ns / 2;
	bool any = false;

	for (uint32_t i = 0; i < snapshot->threads.count; i++) {
		const struct snapshot_thread *thread = &snapshot->threads.item[i];
		bool may = may_spin(deadlocks, thread);

		if (!may && snapshot_rests(snapshot, thread) > since_ns)
			return false;
		any |= may;
	}
	return any;
}

/* Whether it reads or writes: asked now and then. */
static bool does_more(struct deadlocks *deadlocks, const struct snapshot_thread *thread)
{
	const struct ledger_rest *rest = &entry_of(deadlocks, thread)->rest;

	return deadlocks->snapshot.now_ns >= rest->asked_ns + ASK_NS &&
	       !is_mute(deadlocks, thread, 1);
}

/* And the part of numpy that works with arrays, which are variables like others: see pyspin.c. */
static bool is_interpreter(const struct proc_mapping *mapping)
{
	const char *slash = strrchr(mapping->path, '/'), *name = slash ? slash + 1 : mapping->path;

	return mapping->in_libc || !strncmp(name, "python", 6) || !strncmp(name, "libpython", 9) ||
	       !strncmp(name, "libmpsan", 8) || !strcmp(name, "[vdso]") ||
	       strstr(mapping->path, "/lib-dynload/") || !strncmp(name, "_multiarray_umath", 17);
}

enum code { CODE_UNKNOWN, CODE_OF_INTERPRETER, CODE_OF_OTHERS };

/*
 * Whose code runs, by the kernel's profiler: that of the interpreter, its modules, the C library and mpsan, or of others,
 * which may compute, unseen. Unknown where the profiler is not permitted, or the thread has no processor.
 */
static enum code code_of(const struct snapshot_thread *thread)
{
	for (unsigned ticks = 0, missed = 0; ticks < TICKS;) {
		struct {
			struct mpsan_stack head;
			uint64_t word;
		} sample = {0};
		struct proc_mapping mapping;

		if (!stack_sample(thread->tid, &sample.head, sizeof(sample.word))) {
			if (++missed == MISSED)
				return CODE_UNKNOWN;
			continue;
		}
		ticks++;
		if (!proc_mapping_lately(thread->pid, sample.head.regs[MPSAN_STACK_PC], &mapping) ||
		    !is_interpreter(&mapping))
			return CODE_OF_OTHERS;
	}
	return CODE_OF_INTERPRETER;
}

struct pyspin in_vain_loop(const struct snapshot_thread *thread, struct ledger_run *run)
{
	struct pyspin spin = pythread_spins(thread);
	struct stack_spin native = {0};
	enum code code = CODE_OF_INTERPRETER;

	if (!spin.loop && !spin.computes && (run->native || !run->times))
		native = stack_spins(thread->pid, thread->tid);
	else if (spin.loop && !spin.computes && !spin.yields)
		code = code_of(thread);
	if (native.loop && !native.computes)
		spin.loop = native.loop;
	spin.computes |= code == CODE_OF_OTHERS || (native.computes && run->native);
	spin.loop = code == CODE_UNKNOWN ? 0 : spin.loop;
	run->native = spin.loop ? spin.loop == native.loop : run->native;
	return spin;
}

/* What is said once is said; one that computes is left alone for longer. */
static void look_closely(struct deadlocks *deadlocks, const struct snapshot_thread *thread)
{
	struct ledger_entry *entry = entry_of(deadlocks, thread);
	struct ledger_run *run = &entry->run;
	uint64_t now_ns = deadlocks->snapshot.now_ns;
	struct pyspin spin = {0};

	if (now_ns < run->next_ns || entry->rest.hung)
		return;
	if (does_more(deadlocks, thread))
		run->times = 0;
	else
		spin = in_vain_loop(thread, run);
	if (spin.loop && spin.loop != run->loop)
		run->times = 0;
	if (spin.computes)
		run->times -= run->times < DOUBT ? run->times : DOUBT;
	else if (spin.loop)
		run->times++;
	run->loop = spin.loop ? spin.loop : run->loop;
	if (!run->times)
		run->next_ns =
			now_ns + ASK_NS + (spin.computes ? deadlocks->hang_after_ns / LATER : 0);
}

/* ---- threads that keep the GIL ---- */

uint64_t in_vain_gil_since(const struct deadlocks *deadlocks, const struct snapshot_thread *thread)
{
	const struct ledger_entry *entry = entry_of(deadlocks, thread);

	return entry->life.gil ? entry->life.gil_ns : 0;
}

/* The first that waits for a GIL of that process; NULL: none. */
static const struct wait *gil_waiter(const struct deadlocks *deadlocks,
				     const struct snapshot_process *process)
{
	for (uint32_t i = process->begin; i < process->end; i++)
		if (deadlocks->waits.item.item[i].kind == MPSAN_WAIT_GIL)
			return &deadlocks->waits.item.item[i];
	return NULL;
}

bool in_vain_wants_gil(const struct deadlocks *deadlocks, const struct snapshot_process *process,
		       uint32_t index, uint64_t since_ns)
{
	const struct wait *wait = &deadlocks->waits.item.item[index];

	return wait->kind == MPSAN_WAIT_GIL && wait->lock == gil_waiter(deadlocks, process)->lock &&
	       snapshot_rests(&deadlocks->snapshot, &deadlocks->snapshot.threads.item[index]) <=
		       since_ns;
}

uint32_t in_vain_gil_waiters(const struct deadlocks *deadlocks,
			     const struct snapshot_process *process, uint64_t since_ns)
{
	uint32_t count = 0;

	for (uint32_t i = process->begin; i < process->end; i++)
		count += in_vain_wants_gil(deadlocks, process, i, since_ns);
	return count;
}

/* It computes, with short calls of the system in between at most: who stands in one has a wait of its own. */
static void look_at_gil(struct deadlocks *deadlocks, const struct snapshot_thread *thread,
			const struct wait *waiter)
{
	struct ledger_life *life = &entry_of(deadlocks, thread)->life;
	bool runs = thread->looks == 1 && !proc_is_stopped(thread->pid, thread->tid);
	uint64_t gil = waiter && runs ? pythread_gil_switches(thread, waiter->lock) : 0;

	if (gil != life->gil)
		life->gil_ns = deadlocks->snapshot.now_ns;
	life->gil = gil;
}

static void look_at_gils(struct deadlocks *deadlocks)
{
	const struct snapshot *snapshot = &deadlocks->snapshot;

	for (uint32_t i = 0; i < snapshot->processes.count; i++) {
		const struct snapshot_process *process = &snapshot->processes.item[i];
		const struct wait *waiter = gil_waiter(deadlocks, process);

		for (uint32_t k = process->begin; k < process->end; k++)
			if (deadlocks->waits.item.item[k].kind != MPSAN_WAIT_GIL)
				look_at_gil(deadlocks, &snapshot->threads.item[k], waiter);
	}
}

void in_vain_look(struct deadlocks *deadlocks)
{
	look_at_gils(deadlocks);
	if (!others_rest(deadlocks))
		return;
	for (uint32_t i = 0; i < deadlocks->snapshot.threads.count; i++)
		if (may_spin(deadlocks, &deadlocks->snapshot.threads.item[i]))
			look_closely(deadlocks, &deadlocks->snapshot.threads.item[i]);
}
