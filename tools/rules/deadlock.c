/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chooses the rule that reports a deadlock, from its cause, the kinds of its waits and the `wait`
 * events of its threads.
 */
#include "deadlock.h"

#include <stddef.h>

#include "../facts/exceptions.h"
#include "../facts/processes.h"
#include "../facts/roles.h"
#include "../facts/wait_kinds.h"
#include "because.h"

const struct fact_blocked *deadlock_waiter(const struct facts *facts,
					   const struct fact_deadlock *deadlock,
					   enum mpsan_lock_kind kind)
{
	for (uint32_t i = deadlock->begin; i < deadlock->end && i < facts->blocked_count; i++)
		if (facts->blockeds[i].ev.kind == (uint64_t)kind)
			return &facts->blockeds[i];
	return NULL;
}

const struct fact_blocked *deadlock_writer(const struct facts *facts,
					   const struct fact_deadlock *deadlock)
{
	for (uint32_t i = deadlock->begin; i < deadlock->end && i < facts->blocked_count; i++)
		if (wait_kind_writes(facts->blockeds[i].ev.kind))
			return &facts->blockeds[i];
	return NULL;
}

static bool waits_to_be_woken(const struct ev_blocked *ev)
{
	return !ev->owner && !(ev->flags & MPSAN_LF_SHARED) &&
	       (ev->kind == MPSAN_WAIT_COND || ev->kind == MPSAN_WAIT_FUTEX ||
		ev->kind == MPSAN_WAIT_BARRIER || ev->kind == MPSAN_LOCK_SEMAPHORE);
}

/* Whether no other thread of its process is part of the deadlock. */
static bool is_only_one(const struct facts *facts, const struct fact_deadlock *deadlock,
			uint32_t index)
{
	for (uint32_t i = deadlock->begin; i < deadlock->end && i < facts->blocked_count; i++)
		if (i != index && facts->blockeds[i].at.by == facts->blockeds[index].at.by)
			return false;
	return true;
}

/*
 * Whether the process of that blocked thread was forked from a multithreaded one and has no other
 * thread in the deadlock.
 */
static bool is_left(const struct facts *facts, const struct fact_deadlock *deadlock, uint32_t index)
{
	uint32_t by = facts->blockeds[index].at.by, fork = fact_fork_behind(facts, FACT_NONE, by);

	return fork != FACT_NONE && facts->forks[fork].ev.threads > 1 &&
	       is_only_one(facts, deadlock, index);
}

const struct fact_blocked *deadlock_left_child(const struct facts *facts,
					       const struct fact_deadlock *deadlock)
{
	if (deadlock->ev.cause != MPSAN_DEADLOCK_DEAD_END)
		return NULL;
	for (uint32_t i = deadlock->begin; i < deadlock->end && i < facts->blocked_count; i++)
		if (waits_to_be_woken(&facts->blockeds[i].ev) && is_left(facts, deadlock, i))
			return &facts->blockeds[i];
	return NULL;
}

const struct fact_blocked *deadlock_file_twice(const struct facts *facts,
					       const struct fact_deadlock *deadlock)
{
	if (deadlock->ev.cause != MPSAN_DEADLOCK_DEAD_END)
		return NULL;
	for (uint32_t i = deadlock->begin; i < deadlock->end && i < facts->blocked_count; i++) {
		const struct fact_blocked *one = &facts->blockeds[i];

		if (one->ev.kind == MPSAN_WAIT_FILE_LOCK && one->ev.owner_slot == one->at.by + 1u &&
		    is_only_one(facts, deadlock, i))
			return one;
	}
	return NULL;
}

/* The loop for which the first thread takes note of a child's end, while its coroutines wait for each other. */
static const struct fact_blocked *watched_loop(const struct facts *facts,
					       const struct fact_deadlock *deadlock)
{
	const struct fact_blocked *first =
		deadlock->begin < facts->blocked_count ? &facts->blockeds[deadlock->begin] : NULL;

	if (!first || first->ev.kind != MPSAN_WAIT_PROCESS || first->frames.meant != PARKED_IDLE)
		return NULL;
	for (uint32_t i = deadlock->begin + 1; i < deadlock->end && i < facts->blocked_count; i++) {
		const struct fact_blocked *one = &facts->blockeds[i];

		if (one->at.by == first->at.by && awaited_is_async(one->frames.what))
			return one;
	}
	return NULL;
}

const struct fact_blocked *deadlock_subject(const struct facts *facts,
					    const struct fact_deadlock *deadlock)
{
	const struct fact_blocked *left = deadlock_left_child(facts, deadlock);

	left = left ? left : deadlock_file_twice(facts, deadlock);
	left = left ? left : watched_loop(facts, deadlock);
	if (left)
		return left;
	return deadlock->begin < deadlock->end && deadlock->begin < facts->blocked_count ?
		       &facts->blockeds[deadlock->begin] :
		       NULL;
}

static bool is_helper(const struct facts *facts, uint32_t by)
{
	const struct mpsan_process *process =
		by < facts->process_count ? facts->processes[by].slot : NULL;

	return process && role_text(role_of(process));
}

/* A child in a PID namespace of its own has another pid for itself than for its parent. */
bool deadlock_awaits_process(const struct facts *facts, const struct ev_blocked *ev, uint32_t by)
{
	if (by >= facts->process_count)
		return false;
	if (ev->lock && ev->owner_slot)
		return by == ev->owner_slot - 1;
	return ev->lock ? facts->processes[by].slot->pid == ev->lock : process_is_worker(facts, by);
}

const struct fact_blocked *deadlock_reader(const struct facts *facts,
					   const struct fact_deadlock *deadlock)
{
	const struct fact_blocked *first = deadlock_subject(facts, deadlock), *reader = NULL;

	for (uint32_t i = deadlock->begin; i < deadlock->end && i < facts->blocked_count; i++) {
		const struct fact_blocked *one = &facts->blockeds[i];

		if (!wait_kind_reads(one->ev.kind))
			continue;
		if (deadlock_awaits_process(facts, &first->ev, one->at.by))
			return one;
		reader = reader ? reader : one;
	}
	return reader;
}

bool deadlock_lacks_end(const struct facts *facts, const struct fact_blocked *blocked)
{
	uint64_t holder = blocked->ev.owner_slot;

	return blocked->ev.kind == MPSAN_WAIT_PIPE_READ && holder &&
	       blocked->frames.what == AWAITED_NOTHING &&
	       process_is_later_sibling(facts, (uint32_t)holder - 1, blocked->at.by);
}

/* Whether one of them lacks the end of its input, and another waits for its end. */
static bool is_kept_open(const struct facts *facts, const struct fact_deadlock *deadlock)
{
	const struct fact_blocked *joins = deadlock_waiter(facts, deadlock, MPSAN_WAIT_PROCESS);

	for (uint32_t i = deadlock->begin; i < deadlock->end && i < facts->blocked_count; i++)
		if (deadlock_lacks_end(facts, &facts->blockeds[i]) &&
		    facts->processes[facts->blockeds[i].at.by].slot->pid == joins->ev.lock)
			return true;
	return false;
}

/* Whether one of them, in another process, waits for the end of a process. */
static bool is_joined_from(const struct facts *facts, const struct fact_deadlock *deadlock,
			   const struct fact_blocked *worker)
{
	for (uint32_t i = deadlock->begin; i < deadlock->end && i < facts->blocked_count; i++)
		if (facts->blockeds[i].ev.kind == MPSAN_WAIT_PROCESS &&
		    facts->blockeds[i].at.by != worker->at.by)
			return true;
	return false;
}

/*
 * Whether a worker reads from a pipe or socket; a thread of the process that waits for the worker is none.
 * Python's helper processes always read, and do not count; nor does a thread that waits for a manager's answer.
 */
static bool worker_reads(const struct facts *facts, const struct fact_deadlock *deadlock)
{
	for (uint32_t i = deadlock->begin; i < deadlock->end && i < facts->blocked_count; i++)
		if (wait_kind_reads(facts->blockeds[i].ev.kind) &&
		    facts->blockeds[i].frames.what != AWAITED_REPLY &&
		    !is_helper(facts, facts->blockeds[i].at.by) &&
		    is_joined_from(facts, deadlock, &facts->blockeds[i]))
			return true;
	return false;
}

/* Whether that owner, by its TID and the slot of its process, waits for the end of a process. */
static bool owner_joins(const struct facts *facts, const struct fact_deadlock *deadlock,
			const struct ev_blocked *lock)
{
	for (uint32_t i = deadlock->begin; i < deadlock->end && i < facts->blocked_count; i++)
		if (facts->blockeds[i].ev.kind == MPSAN_WAIT_PROCESS &&
		    facts->blockeds[i].at.tid == lock->owner &&
		    facts->blockeds[i].at.by + 1u == lock->owner_slot)
			return true;
	return false;
}

/* Whether that process may have the other end of a pipe or socket from which a thread of another one reads. */
static bool may_send(const struct facts *facts, const struct fact_deadlock *deadlock, uint32_t by)
{
	for (uint32_t i = deadlock->begin; i < deadlock->end && i < facts->blocked_count; i++) {
		const struct fact_blocked *one = &facts->blockeds[i];

		if (wait_kind_reads(one->ev.kind) && one->at.by != by &&
		    (!one->ev.owner_slot || one->ev.owner_slot == by + 1u))
			return true;
	}
	return false;
}

/* Whether a third process would send something, but for a lock that the one which joins holds. */
static bool sender_lacks_lock(const struct facts *facts, const struct fact_deadlock *deadlock)
{
	for (uint32_t i = deadlock->begin; i < deadlock->end && i < facts->blocked_count; i++) {
		const struct fact_blocked *one = &facts->blockeds[i];

		if (one->ev.owner && mpsan_kind_is_lock((unsigned)one->ev.kind) &&
		    one->ev.owner_slot != one->at.by + 1u &&
		    owner_joins(facts, deadlock, &one->ev) && may_send(facts, deadlock, one->at.by))
			return true;
	}
	return false;
}

/* The rule for a process that joins one which waits at a pipe itself. */
static enum rule_id rule_of_pipe(const struct facts *facts, const struct fact_deadlock *deadlock)
{
	if (!deadlock_waiter(facts, deadlock, MPSAN_WAIT_PROCESS) || watched_loop(facts, deadlock))
		return RULE_COUNT;
	if (deadlock_writer(facts, deadlock))
		return RULE_join_before_drain;
	return worker_reads(facts, deadlock) && !is_kept_open(facts, deadlock) &&
			       !sender_lacks_lock(facts, deadlock) &&
			       !(deadlock_reader(facts, deadlock)->ev.flags & MPSAN_LF_READERS) ?
		       RULE_missing_sentinel :
		       RULE_COUNT;
}

bool deadlock_fills_output(const struct facts *facts, const struct fact_deadlock *deadlock)
{
	const struct fact_blocked *writer = deadlock_writer(facts, deadlock);

	return rule_of_pipe(facts, deadlock) == RULE_join_before_drain && writer &&
	       writer->frames.what == AWAITED_NOTHING;
}

/*
 * Whether the `wait` event is the one that the thread is blocked in. Inside a libc function a
 * thread may also wait for something other than libc's own locks.
 */
static bool explains(const struct fact_wait *wait, const struct fact_blocked *blocked)
{
	return wait->at.by == blocked->at.by && wait->at.tid == blocked->at.tid &&
	       wait->at.time_ns <= blocked->at.time_ns && !wait->end_ns &&
	       (wait->ev.reason != MPSAN_WAIT_INSIDE || blocked->ev.kind == MPSAN_LOCK_LIBC);
}

uint32_t deadlock_wait(const struct facts *facts, const struct fact_deadlock *deadlock)
{
	if (deadlock->ev.cause >= MPSAN_DEADLOCK_LONG)
		return FACT_NONE;
	for (uint32_t i = facts->wait_count; i-- > 0;)
		for (uint32_t k = deadlock->begin; k < deadlock->end && k < facts->blocked_count;
		     k++)
			if (explains(&facts->waits[i], &facts->blockeds[k]))
				return i;
	return FACT_NONE;
}

/* Whether the circle is one thread, which holds what it waits for. */
static bool holds_its_lock(const struct facts *facts, const struct fact_deadlock *deadlock)
{
	const struct fact_blocked *first = deadlock_subject(facts, deadlock);

	return deadlock->ev.cause == MPSAN_DEADLOCK_CYCLE && first->ev.owner == first->at.tid &&
	       first->ev.owner_slot == first->at.by + 1u &&
	       mpsan_kind_is_lock((unsigned)first->ev.kind);
}

bool deadlock_is_across(const struct facts *facts, const struct fact_deadlock *deadlock)
{
	for (uint32_t i = deadlock->begin; i < deadlock->end && i < facts->blocked_count; i++)
		if (facts->blockeds[i].at.by != facts->blockeds[deadlock->begin].at.by)
			return true;
	return false;
}

bool deadlock_is_doubted(const struct facts *facts, const struct fact_deadlock *deadlock)
{
	for (uint32_t i = deadlock->begin; i < deadlock->end && i < facts->blocked_count; i++)
		if (facts->blockeds[i].ev.flags & MPSAN_LF_DOUBT)
			return true;
	return false;
}

bool deadlock_is_certain(const struct facts *facts, const struct fact_deadlock *deadlock)
{
	const struct fact_blocked *first = deadlock_subject(facts, deadlock);

	if (deadlock_is_doubted(facts, deadlock))
		return false;
	return !first || !first->ev.ends || first->ev.owner || first->ev.flags & MPSAN_LF_CERTAIN ||
	       wait_kind_needs_owner(first->ev.kind);
}

static bool failed_before(const struct facts *facts, uint32_t slot, uint64_t time_ns)
{
	const struct fact_process *process = &facts->processes[slot];

	return process->gone && process->gone_ns <= time_ns && process_failed(process->slot) &&
	       process_is_worker(facts, slot) && !process_was_ended_by_another(facts, slot);
}

/* When the last worker of a process was made. */
static uint64_t last_worker_ns(const struct facts *facts, uint32_t parent)
{
	uint64_t last_ns = 0;

	for (uint32_t i = 0; parent != FACT_NONE && i < facts->process_count; i++)
		if (process_parent(facts, i) == parent && process_is_worker(facts, i) &&
		    fact_made_ns(facts, i) > last_ns)
			last_ns = fact_made_ns(facts, i);
	return last_ns;
}

/* Who has started another worker after one had failed has seen that, and tries again. */
uint32_t deadlock_lost_sender(const struct facts *facts, const struct fact_deadlock *deadlock,
			      const struct fact_blocked *waiter)
{
	uint32_t found = FACT_NONE, by = waiter->at.by, parent;
	uint64_t child_ns, sibling_ns;

	if (deadlock->ev.cause != MPSAN_DEADLOCK_DEAD_END ||
	    (!wait_kind_reads(waiter->ev.kind) &&
	     !(waiter->ev.flags & (MPSAN_LF_SHARED | MPSAN_LF_CERTAIN))))
		return FACT_NONE;
	parent = process_parent(facts, by);
	child_ns = last_worker_ns(facts, by);
	sibling_ns = last_worker_ns(facts, parent);
	for (uint32_t i = 0; i < facts->process_count; i++) {
		const struct fact_process *process = &facts->processes[i];
		uint32_t of = process_parent(facts, i);

		if (i != by && of != FACT_NONE && (of == by || of == parent) &&
		    failed_before(facts, i, deadlock->at.time_ns) &&
		    (of == by ? child_ns : sibling_ns) <=
			    (process->slot->end_ns ?: process->gone_ns) &&
		    (found == FACT_NONE || process->gone_ns < facts->processes[found].gone_ns))
			found = i;
	}
	return found;
}

/* The blocked thread that a blocked thread waits for as an owner; FACT_NONE: none. */
static uint32_t owner_of(const struct facts *facts, const struct fact_deadlock *deadlock,
			 uint32_t index)
{
	const struct ev_blocked *ev = &facts->blockeds[index].ev;

	for (uint32_t i = deadlock->begin; i < deadlock->end && i < facts->blocked_count; i++)
		if (ev->owner && facts->blockeds[i].at.tid == ev->owner)
			return i;
	return FACT_NONE;
}

/* Whether following the owners from a wait leads back to it; `locks`: by waits for locks only. */
static bool owns_own_wait(const struct facts *facts, const struct fact_deadlock *deadlock,
			  uint32_t index, bool locks)
{
	uint32_t at = index;

	for (uint32_t i = deadlock->begin; i < deadlock->end; i++) {
		if (locks && !mpsan_kind_is_lock((unsigned)facts->blockeds[at].ev.kind))
			return false;
		at = owner_of(facts, deadlock, at);
		if (at == FACT_NONE || at == index)
			return at == index;
	}
	return false;
}

/* Whether some of its threads wait in a circle for each other's locks: the others only wait for those. */
static bool has_lock_circle(const struct facts *facts, const struct fact_deadlock *deadlock)
{
	for (uint32_t i = deadlock->begin; i < deadlock->end && i < facts->blocked_count; i++)
		if (owns_own_wait(facts, deadlock, i, true))
			return true;
	return false;
}

enum rule_id deadlock_likely(const struct facts *facts, const struct fact_deadlock *deadlock)
{
	enum rule_id rule = rule_of_pipe(facts, deadlock);

	for (uint32_t i = deadlock->begin; i < deadlock->end && i < facts->blocked_count; i++)
		if (rule == RULE_COUNT && owns_own_wait(facts, deadlock, i, false))
			return owner_of(facts, deadlock, i) == i ? RULE_self_deadlock :
								   RULE_deadlock_cycle;
	return rule;
}

/*
 * Whether it is the clean-up after an error of which nobody was told, and that is ended from outside, or would seem to idle. A
 * proof, or a warning, names the error already.
 */
static bool hides_error(const struct facts *facts, const struct fact_deadlock *deadlock)
{
	const struct fact_blocked *first = deadlock_subject(facts, deadlock);
	bool idles =
		first->ev.flags & MPSAN_LF_PARKED &&
		!(first->ev.flags & (MPSAN_LF_UNWOKEN | MPSAN_LF_STUCK | MPSAN_LF_NO_KEYBOARD));

	return first->ev.cleans && !facts->outside &&
	       (idles || deadlock->ev.cause != MPSAN_DEADLOCK_LONG) &&
	       !exception_was_told(facts, first->at.by, first->ev.cleans);
}

enum rule_id deadlock_rule(const struct facts *facts, const struct fact_deadlock *deadlock)
{
	enum rule_id rule = rule_of_pipe(facts, deadlock);

	if (!deadlock_subject(facts, deadlock) || deadlock_wait(facts, deadlock) != FACT_NONE)
		return RULE_COUNT;
	switch (deadlock->ev.cause) {
	case MPSAN_DEADLOCK_OWNER_GONE:
		return RULE_lock_owner_killed;
	case MPSAN_DEADLOCK_WAITER_GONE:
		return RULE_waiter_killed;
	case MPSAN_DEADLOCK_TASK_LOST:
		return RULE_worker_lost;
	case MPSAN_DEADLOCK_LONG:
	case MPSAN_DEADLOCK_LAST:
	case MPSAN_DEADLOCK_DRAFT:
		return hides_error(facts, deadlock) ? RULE_cleanup_hides_error : RULE_hang;
	case MPSAN_DEADLOCK_RETRIES:
		return RULE_hang;
	case MPSAN_DEADLOCK_RANKS:
		return RULE_collective_mismatch;
	case MPSAN_DEADLOCK_CYCLE:
	case MPSAN_DEADLOCK_DEAD_END:
		if (holds_its_lock(facts, deadlock) || deadlock_file_twice(facts, deadlock))
			return RULE_self_deadlock;
		if (because_item(facts, deadlock) != FACT_NONE)
			return RULE_item_dropped;
		if (rule != RULE_COUNT && !has_lock_circle(facts, deadlock))
			return rule;
		if (deadlock_left_child(facts, deadlock))
			return RULE_fork_lost_wakeup;
		return because_sent(facts, deadlock) != FACT_NONE ? RULE_thread_died :
								    RULE_deadlock_cycle;
	}
	return RULE_COUNT;
}
