/* SPDX-License-Identifier: Apache-2.0 */
/* Records waits that last too long, although something could still end them. */
#include "long_waits.h"

#include <signal.h>
#include <stdlib.h>

#include "../facts/processes.h"
#include "../proc/calls.h"
#include "../waits/due.h"
#include "../waits/pythreads.h"
#include "handlers.h"
#include "hopeless.h"
#include "idle.h"
#include "in_vain.h"
#include "orphans.h"
#include "peer_waits.h"
#include "turn_taking.h"
#include "verdict.h"

static void add_hanging(struct deadlocks *deadlocks, struct verdict *verdict, uint32_t index,
			uint64_t flags)
{
	struct ledger_rest *rest = &deadlocks_entry(deadlocks, index)->rest;

	if (!rest->hung)
		verdict_add_open(deadlocks, verdict, index, flags);
	rest->hung = true;
}

/* Records a long wait; if it is for a lock, then with its owner, which runs elsewhere. */
static void state_long_wait(struct deadlocks *deadlocks, uint32_t index)
{
	const struct wait *wait = &deadlocks->waits.item.item[index];
	struct verdict verdict = {0};

	add_hanging(deadlocks, &verdict, index, 0);
	if (wait->end == WAIT_OWNERS)
		add_hanging(deadlocks, &verdict, deadlocks->waits.who.item[wait->begin], 0);
	verdict_close(deadlocks, &verdict, MPSAN_DEADLOCK_LONG, 0, NULL);
}

/* Whether progress may be out of sight: a pipe's other end, or a child, is not watched. Python's helpers only serve. */
static bool is_out_of_sight(struct deadlocks *deadlocks, uint32_t index)
{
	const struct wait *wait = &deadlocks->waits.item.item[index];

	return wait->end == WAIT_OPEN && !wait->by_signal &&
	       !verdict_leaves_out(deadlocks, index) &&
	       (wait->kind == MPSAN_WAIT_PIPE_READ || wait->kind == MPSAN_WAIT_PIPE_WRITE ||
		wait->kind == MPSAN_WAIT_PROCESS) &&
	       !proc_is_stopped(deadlocks_thread(deadlocks, index)->pid,
				deadlocks_thread(deadlocks, index)->tid);
}

/* Whether a worker's main thread does something of its own: slow, perhaps, but not stuck. */
static bool works_apart(const struct deadlocks *deadlocks, uint32_t index)
{
	const struct snapshot_thread *thread = &deadlocks->snapshot.threads.item[index];

	return thread->tid == thread->pid && wait_is_apart(&deadlocks->waits.item.item[index]) &&
	       process_is_worker(&deadlocks->reader->facts, thread->slot) &&
	       !in_vain_told(deadlocks, thread->slot) && !proc_is_stopped(thread->pid, thread->tid);
}

/* ---- who is at work ---- */

/* What of the job's rest is the same for all threads. */
struct rest {
	uint64_t since_ns; /* for how long threads have to rest */
	uint64_t moved_ns; /* when one of those that rest, and has no limit, did something last */
	bool ticks_are_none; /* who ticks is no help: nothing known may ever come of it */
	bool tests_are_none; /* nor who tests in vain */
	uint32_t
		slot; /* of the process that was asked about last, for its threads stand together */
	bool told; /* that one was told to end, and did not */
};

static bool was_told(const struct deadlocks *deadlocks, uint32_t slot, struct rest *rest)
{
	if (rest->slot != slot)
		rest->told = in_vain_told(deadlocks, slot);
	rest->slot = slot;
	return rest->told;
}

static struct rest rest_of(const struct deadlocks *deadlocks, uint64_t since_ns)
{
	struct rest rest = {.since_ns = since_ns, .slot = FACT_NONE};

	for (uint32_t i = 0; i < deadlocks->snapshot.threads.count; i++) {
		const struct snapshot_thread *thread = &deadlocks->snapshot.threads.item[i];
		uint64_t rests_ns = snapshot_rests(&deadlocks->snapshot, thread);

		if (!call_has_limit(&thread->call) && rests_ns <= since_ns &&
		    rests_ns > rest.moved_ns)
			rest.moved_ns = rests_ns;
	}
	return rest;
}

/* A Timer that another one set up, while all others rested: all of them are one that ticks. */
static bool is_new_timer(const struct snapshot_thread *thread, const struct rest *rest)
{
	return thread->tid != thread->pid && call_has_limit(&thread->call) &&
	       thread->seen_ns > rest->moved_ns + AT_WORK_LATER_NS && pythread_is_timer(thread);
}

static bool did_act(const struct deadlocks *deadlocks, const struct snapshot_thread *thread,
		    const struct rest *rest)
{
	return snapshot_rests(&deadlocks->snapshot, thread) > rest->since_ns &&
	       !is_new_timer(thread, rest) && !in_vain_spins(deadlocks, thread);
}

/*
 * Whether it wants what it waits for, so that it gives up after its limit: by its frames, or a thread that a library has
 * beside Python, as of torch's collectives.
 */
static bool wants(const struct deadlocks *deadlocks, uint32_t index)
{
	const struct snapshot_thread *thread = &deadlocks->snapshot.threads.item[index];
	struct pythread_wait wait = pythread_wait(thread, deadlocks->waits.item.item[index].lock);

	switch (wait.frames.meant) {
	case PARKED_BLOCKED:
	case PARKED_MEETS:
	case PARKED_JOINS:
		return true;
	default:
		return !wait.is_python && deadlocks->reader->session.table[thread->slot].python;
	}
}

/* Whether it only lets time pass: an event of its own, too, for which a main thread waits with a limit. */
static bool pauses(struct deadlocks *deadlocks, uint32_t index, const struct due *due)
{
	const struct wait *wait = &deadlocks->waits.item.item[index];

	if (!due->is || wait->harmless || wait->driver)
		return false;
	if (due->sleeps ||
	    call_is_loop(&deadlocks_thread(deadlocks, index)->call)) /* with a timer ahead */
		return true;
	if (wait_needs_owner(wait) || wants(deadlocks, index))
		return false;
	return hopeless_is_pause(deadlocks, index) ||
	       pythread_waits_for_event(deadlocks_thread(deadlocks, index));
}

/* From the beginning of its wait until it is due; if that is unknown, until now. */
static uint64_t length_ns(const struct deadlocks *deadlocks, const struct snapshot_thread *thread,
			  const struct due *due)
{
	uint64_t end_ns = due->at_ns ? due->at_ns : deadlocks->snapshot.now_ns;

	return due->is && end_ns > thread->still_ns ? end_ns - thread->still_ns : 0;
}

static struct at_work_thread describe(struct deadlocks *deadlocks, uint32_t index,
				      struct rest *rest)
{
	const struct snapshot_thread *thread = deadlocks_thread(deadlocks, index);
	struct due due;

	if (deadlocks_told(deadlocks, index) || is_out_of_sight(deadlocks, index) ||
	    did_act(deadlocks, thread, rest))
		return (struct at_work_thread){.acts = true};
	if (was_told(deadlocks, thread->slot, rest) ||
	    (rest->tests_are_none && in_vain(deadlocks, thread)))
		return (struct at_work_thread){.apart = true};
	if (in_vain_spins(deadlocks, thread))
		return (struct at_work_thread){.timed = true};
	due = due_of(&deadlocks->waits, index);
	return (struct at_work_thread){
		.timed = due.is,
		.pauses = pauses(deadlocks, index, &due) && !is_new_timer(thread, rest),
		.apart = wait_is_apart(&deadlocks->waits.item.item[index]),
		.began_ns = thread->still_ns,
		.length_ns = length_ns(deadlocks, thread, &due),
		.rounds = due.once ? 0 : thread->rounds,
		.first_ns = thread->same_ns,
	};
}

/* Marks the waits of which somebody who could end them is at work. Whether anybody may do anything, but for idle helpers. */
static bool find_helped(struct deadlocks *deadlocks, struct rest *rest)
{
	uint32_t count = deadlocks->snapshot.threads.count;
	AUTO_FREE enum at_work *work = memory_get((count + 1) * sizeof(*work));
	bool any = false;

	for (uint32_t i = 0; i < count; i++) {
		struct at_work_thread thread = describe(deadlocks, i, rest);

		work[i] = at_work_of(&thread, rest->moved_ns, in_vain_from_ns(deadlocks));
		if (rest->ticks_are_none && work[i] != AT_WORK)
			work[i] = AT_WORK_NOT;
	}
	graph_solve_work(&deadlocks->help, &deadlocks->waits, work);
	for (uint32_t i = 0; i < count; i++) {
		deadlocks->waits.item.item[i].is_helped = !deadlocks->help.solved.dead[i];
		any |= deadlocks->help.solved.help[i] == AT_WORK &&
		       (work[i] == AT_WORK || !verdict_leaves_out(deadlocks, i));
	}
	return any;
}

void long_waits_find_helped(struct deadlocks *deadlocks, uint64_t since_ns)
{
	struct rest rest = rest_of(deadlocks, since_ns);

	rest.ticks_are_none = true;
	find_helped(deadlocks, &rest);
}

/* ---- a job at rest ---- */

/*
 * Whether the whole job rested, with a process that is no leftover. `tests`: who tests in vain does not work; `all`: nor does
 * a worker that does something of its own.
 */
static bool job_rests(const struct deadlocks *deadlocks, bool tests, bool all)
{
	const struct snapshot *snapshot = &deadlocks->snapshot;

	for (uint32_t i = 0; i < snapshot->threads.count; i++) {
		const struct snapshot_thread *thread = &snapshot->threads.item[i];

		if (deadlocks_entry(deadlocks, i)->rest.hung ||
		    (!tests && in_vain_spins(deadlocks, thread)) ||
		    (!all && works_apart(deadlocks, i) && !(tests && in_vain(deadlocks, thread))))
			return false;
	}
	for (uint32_t i = 0; i < snapshot->processes.count; i++)
		if (!was_orphaned(snapshot->reader, snapshot->processes.item[i].slot))
			return true;
	return false;
}

/* Whether the job was examined as it is: all of its threads rested since, and none has ended. */
static bool is_examined(struct deadlocks *deadlocks)
{
	uint32_t count = deadlocks->snapshot.threads.count, known = 0;
	bool same = deadlocks->rested == count;

	for (uint32_t i = 0; i < count; i++)
		known += deadlocks_entry(deadlocks, i)->rest.examined;
	return same && known == count;
}

static void mark_examined(struct deadlocks *deadlocks)
{
	deadlocks->rested = deadlocks->snapshot.threads.count;
	for (uint32_t i = 0; i < deadlocks->rested; i++)
		deadlocks_entry(deadlocks, i)->rest.examined = true;
}

/*
 * A main thread's way to park: a loop of events, or an event of its own, which Ctrl-C interrupts, unless the child or task
 * has failed, or the threads have ended, that might have set it. Nobody parks in a clean-up after an error.
 */
static bool main_parks(const struct deadlocks *deadlocks, bool has_keyboard)
{
	for (uint32_t i = 0; i < deadlocks->snapshot.threads.count; i++) {
		const struct snapshot_thread *thread = &deadlocks->snapshot.threads.item[i];
		const struct wait *wait = &deadlocks->waits.item.item[i];

		if (thread->tid == thread->pid && !wait->harmless && !pythread_cleans(thread) &&
		    ((wait->kind == MPSAN_WAIT_READY && !pythread_loop_consumes(thread) &&
		      (handlers_end_loop(&deadlocks->reader->session, thread) ||
		       !pythread_loop_lacks(thread)) &&
		      orphans_wait_lacks(&deadlocks->waits, i) == FACT_NONE) ||
		     (has_keyboard && pythread_waits_for_event(thread) &&
		      !in_vain_lacks_threads(deadlocks, thread) &&
		      !idle_is_left(&deadlocks->graph, i))))
			return true;
	}
	return false;
}

/* Whether all threads wait for others of the job alone, and are idle on purpose: no note for those that only rest. */
static bool job_is_idle(const struct deadlocks *deadlocks, bool has_keyboard)
{
	for (uint32_t i = 0; i < deadlocks->snapshot.threads.count; i++)
		if (wait_is_apart(&deadlocks->waits.item.item[i]) ||
		    deadlocks->waits.item.item[i].by_signal)
			return false;
	return !main_parks(deadlocks, has_keyboard);
}

enum place { MAIN, OTHER, APART, PLACES, NOWHERE };

/* A thread that a library keeps beside the interpreter, and that has nothing to do. */
static bool is_spare(const struct deadlocks *deadlocks, uint32_t index)
{
	const struct snapshot_thread *thread = &deadlocks->snapshot.threads.item[index];
	uint64_t kind = deadlocks->waits.item.item[index].kind;

	return thread->tid != thread->pid &&
	       (kind == MPSAN_WAIT_COND || kind == MPSAN_WAIT_FUTEX) &&
	       deadlocks->reader->session.table[thread->slot].python && thread->record &&
	       !thread->record->python_state;
}

/* Where a thread stands in the story. */
static enum place place_of(struct deadlocks *deadlocks, uint32_t index)
{
	const struct snapshot_thread *thread = deadlocks_thread(deadlocks, index);

	if (verdict_leaves_out(deadlocks, index) || is_spare(deadlocks, index))
		return NOWHERE;
	if (wait_is_apart(&deadlocks->waits.item.item[index]))
		return APART;
	return thread->tid == thread->pid ? MAIN : OTHER;
}

/* Records the job: its story's first thread, main threads that wait for others, then the rest. `lost`: a child. */
static void state_job(struct deadlocks *deadlocks, uint32_t head, uint32_t lost, uint64_t flags)
{
	const struct snapshot_thread *first = deadlocks_thread(deadlocks, head);
	AUTO_FREE char *handlers =
		handlers_text(&deadlocks->reader->session, first->slot,
			      handlers_to_come(&deadlocks->snapshot, first->slot));
	struct verdict verdict = {0};

	add_hanging(deadlocks, &verdict, head, flags);
	for (enum place place = MAIN; place < PLACES; place++)
		for (uint32_t i = 0; i < deadlocks->snapshot.threads.count; i++)
			if (place == place_of(deadlocks, i))
				add_hanging(deadlocks, &verdict, i, flags);
	for (uint32_t i = 0; i < deadlocks->snapshot.threads.count; i++)
		deadlocks_entry(deadlocks, i)->rest.hung = true;
	verdict_close(deadlocks, &verdict, MPSAN_DEADLOCK_LONG, lost + 1, handlers);
}

/* Its threads rest until the kernel ends them, while the interpreter that describes them is gone. */
static bool any_leaves(const struct snapshot *snapshot)
{
	for (uint32_t i = 0; i < snapshot->processes.count; i++)
		if (proc_leaves(snapshot->processes.item[i].pid))
			return true;
	return false;
}

/*
 * Whether one has gone on since the picture, so that its frames are not those of the wait, or the interpreter is at its
 * end. A thread that ticks wakes up between any two looks: that is no sign, and would put off the answer for ever;
 * nor is one of a main thread that only tries to take something again.
 */
static bool any_moved(const struct deadlocks *deadlocks, uint64_t since_ns)
{
	for (uint32_t i = 0; i < deadlocks->snapshot.threads.count; i++) {
		const struct snapshot_thread *thread = &deadlocks->snapshot.threads.item[i];
		bool ticks = snapshot_wakes(thread) &&
			     (thread->tid != thread->pid || deadlocks->waits.item.item[i].tries);

		if (snapshot_rests(&deadlocks->snapshot, thread) <= since_ns && !ticks &&
		    snapshot_has_moved(thread))
			return true;
	}
	return false;
}

static void look_at_job(struct deadlocks *deadlocks, uint64_t since_ns)
{
	bool meant, has_keyboard;
	uint32_t head, peers, lost;

	if (is_examined(deadlocks))
		return;
	peers = peer_waits_find(&deadlocks->waits);
	if (!job_rests(deadlocks, false, peers & PEER_WAITS_CLOSED))
		return;
	meant = idle_job_is_meant(&deadlocks->graph, waits_shared(&deadlocks->waits), &head,
				  &has_keyboard);
	if (any_leaves(&deadlocks->snapshot) || any_moved(deadlocks, since_ns))
		return;
	mark_examined(deadlocks);
	for (uint32_t i = 0; meant && i < deadlocks->snapshot.threads.count; i++)
		if (in_vain_lacks_threads(deadlocks, deadlocks_thread(deadlocks, i)))
			head = i;
	lost = meant ? orphans_job_lacks(&deadlocks->waits, &head) : FACT_NONE;
	if (!meant)
		state_job(deadlocks, head, FACT_NONE,
			  peer_waits_serve_hub(&deadlocks->waits, head) ? MPSAN_LF_PARKED : 0);
	else if (job_is_idle(deadlocks, has_keyboard))
		state_job(deadlocks, head, lost,
			  MPSAN_LF_PARKED |
				  (has_keyboard || peers & PEER_WAITS_SERVE || lost != FACT_NONE ?
					   0 :
					   MPSAN_LF_NO_KEYBOARD));
}

/* Records a job in which a main thread only tests, for what nothing seen here could change, such as a file. */
static void look_at_tests(struct deadlocks *deadlocks)
{
	if (!job_rests(deadlocks, true, false) || any_leaves(&deadlocks->snapshot))
		return;
	for (uint32_t i = 0; i < deadlocks->snapshot.threads.count; i++) {
		const struct snapshot_thread *thread = &deadlocks->snapshot.threads.item[i];

		if (in_vain_tests(deadlocks, thread)) {
			state_job(deadlocks, i, orphans_wait_lacks(&deadlocks->waits, i),
				  MPSAN_LF_PARKED);
			return;
		}
	}
}

/* Records who has had the GIL for that long while others waited for it: it may compute, so that is no more than a fact. */
static void state_gil(struct deadlocks *deadlocks, uint32_t index, uint64_t since_ns)
{
	const struct snapshot_thread *thread = deadlocks_thread(deadlocks, index);
	const struct snapshot_process *process =
		&deadlocks->snapshot.processes.item[thread->process];
	uint64_t had_ns = in_vain_gil_since(deadlocks, thread);
	struct verdict verdict = {0};
	uint32_t waiters = 0;
	AUTO_FREE char *text = NULL;

	if (!had_ns || had_ns > since_ns || deadlocks_entry(deadlocks, index)->rest.hung ||
	    !in_vain_gil_waiters(deadlocks, process, since_ns))
		return;
	add_hanging(deadlocks, &verdict, index, MPSAN_LF_PARKED);
	for (uint32_t i = process->begin; i < process->end; i++) {
		if (!in_vain_wants_gil(deadlocks, process, i, deadlocks->snapshot.now_ns))
			continue;
		waiters++;
		deadlocks->waits.item.item[i].holder = index;
		add_hanging(deadlocks, &verdict, i, MPSAN_LF_PARKED);
	}
	text = text_format("%u thread%s for it", waiters, waiters == 1 ? " waits" : "s wait");
	verdict_close(deadlocks, &verdict, MPSAN_DEADLOCK_LONG, 0, text);
}

/* ---- locks ---- */

/* Whether it wants an owner's lock. One that gives up in time was meant to last as long as that: a watchdog's, say. */
static bool wants_lock(const struct wait *wait)
{
	return wait->end == WAIT_OWNERS && wait->ends != MPSAN_ENDS_LIMIT &&
	       mpsan_kind_is_lock((unsigned)wait->kind) && !wait->joins;
}

static bool is_long_wait(const struct deadlocks *deadlocks, uint32_t index, uint64_t since_ns)
{
	const struct wait *wait = &deadlocks->waits.item.item[index];
	const struct snapshot_thread *thread = &deadlocks->snapshot.threads.item[index];

	return (wants_lock(wait) || wait->flags & WAIT_LOOP_FAULT) &&
	       !deadlocks_told(deadlocks, index) && !deadlocks_entry(deadlocks, index)->rest.hung &&
	       snapshot_rests(&deadlocks->snapshot, thread) <= since_ns;
}

/* Whether a lock is waited for that long, or a loop is at fault, or nobody does anything else. */
static bool may_hang(const struct deadlocks *deadlocks, const struct rest *rest)
{
	bool rests = true;

	for (uint32_t i = 0; i < deadlocks->snapshot.threads.count; i++) {
		if (is_long_wait(deadlocks, i, rest->since_ns))
			return true;
		rests = rests && !did_act(deadlocks, &deadlocks->snapshot.threads.item[i], rest);
	}
	return rests;
}

void long_waits_state(struct deadlocks *deadlocks, uint64_t now_ns)
{
	struct rest rest;

	if (!deadlocks->hang_after_ns || now_ns < deadlocks->hang_after_ns)
		return;
	rest = rest_of(deadlocks, now_ns - deadlocks->hang_after_ns);
	in_vain_look(deadlocks);
	in_vain_retries(deadlocks);
	for (uint32_t i = 0; i < deadlocks->snapshot.threads.count; i++)
		state_gil(deadlocks, i, rest.since_ns);
	if (!may_hang(deadlocks, &rest))
		return;
	if (in_vain_any(deadlocks)) {
		rest.tests_are_none = true;
		if (!find_helped(deadlocks, &rest))
			look_at_tests(deadlocks);
		rest.tests_are_none = false;
	}
	if (!find_helped(deadlocks, &rest)) {
		look_at_job(deadlocks, rest.since_ns);
		look_at_tests(deadlocks);
	}
	for (uint32_t i = 0; i < deadlocks->snapshot.threads.count; i++)
		if (is_long_wait(deadlocks, i, rest.since_ns) &&
		    (deadlocks->waits.item.item[i].flags & WAIT_LOOP_FAULT ||
		     (!deadlocks->waits.item.item[i].is_helped &&
		      !turns_are_taken(&deadlocks->waits, i))))
			state_long_wait(deadlocks, i);
}
