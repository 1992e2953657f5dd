/* SPDX-License-Identifier: Apache-2.0 */
/* Looks for the exception that caused a deadlock or a hang. */
#include "because.h"

#include "../facts/exceptions.h"
#include "../facts/wait_kinds.h"
#include "deadlock.h"

static uint32_t end_of(const struct facts *facts, const struct fact_deadlock *deadlock)
{
	return deadlock->end < facts->blocked_count ? deadlock->end : facts->blocked_count;
}

uint32_t because_item(const struct facts *facts, const struct fact_deadlock *deadlock)
{
	uint32_t event = FACT_NONE;

	for (uint32_t i = deadlock->begin; i < end_of(facts, deadlock) && event == FACT_NONE; i++)
		if (facts->blockeds[i].ev.kind == MPSAN_WAIT_PIPE_READ)
			event = exception_at_pipe(facts, facts->blockeds[i].ev.lock,
						  deadlock->at.time_ns);
	return event;
}

/* For nobody in particular, but no other process could do it. */
static bool is_for_any_thread(const struct fact_blocked *blocked)
{
	return !blocked->ev.owner && !(blocked->ev.flags & MPSAN_LF_SHARED);
}

/* Whether it waits for what a thread of its process was to send, any of them, and no other process can. */
static bool awaits_thread(const struct fact_blocked *blocked)
{
	return is_for_any_thread(blocked) && awaited_nature(blocked->frames.what) == AWAITED_LOCAL;
}

static bool is_blocked(const struct facts *facts, const struct fact_deadlock *deadlock,
		       uint32_t slot, uint32_t tid)
{
	for (uint32_t i = deadlock->begin; i < end_of(facts, deadlock); i++)
		if (facts->blockeds[i].at.by == slot && facts->blockeds[i].at.tid == tid)
			return true;
	return false;
}

/* The exception of the only thread of a process that ended by one. */
static uint32_t only_thread(const struct facts *facts, const struct fact_deadlock *deadlock,
			    uint32_t slot)
{
	uint32_t event = exception_of_thread(facts, slot, 0, deadlock->at.time_ns), other = event;

	while (other != FACT_NONE) {
		other = exception_before(facts, slot, other);
		if (other != FACT_NONE && exception_where(facts, other) == MPSAN_WHERE_THREAD &&
		    event_tid(&facts->events[other]) != event_tid(&facts->events[event]))
			return FACT_NONE;
	}
	for (uint32_t i = 0; event != FACT_NONE && i < facts->thread_count; i++)
		if (exception_precedes(facts, event, &facts->threads[i], deadlock->at.time_ns) &&
		    !is_blocked(facts, deadlock, slot, facts->threads[i].at.tid))
			return FACT_NONE;
	return event;
}

/* A job that hangs is told whole: whether its only thread waits, and is not said to be idle. */
static bool hangs_alone(const struct facts *facts, const struct fact_deadlock *deadlock)
{
	return deadlock->ev.cause == MPSAN_DEADLOCK_LONG &&
	       end_of(facts, deadlock) == deadlock->begin + 1 &&
	       !(facts->blockeds[deadlock->begin].ev.flags & MPSAN_LF_PARKED);
}

uint32_t because_sent(const struct facts *facts, const struct fact_deadlock *deadlock)
{
	uint32_t event = FACT_NONE;

	if (deadlock->ev.cause != MPSAN_DEADLOCK_DEAD_END && !hangs_alone(facts, deadlock))
		return FACT_NONE;
	for (uint32_t i = deadlock->begin; i < end_of(facts, deadlock) && event == FACT_NONE; i++)
		if (awaits_thread(&facts->blockeds[i]))
			event = only_thread(facts, deadlock, facts->blockeds[i].at.by);
	return event;
}

/* That of the thread that has ended with a lock. */
static uint32_t of_owner(const struct facts *facts, const struct fact_deadlock *deadlock)
{
	uint32_t event = FACT_NONE;

	for (uint32_t i = deadlock->begin; i < end_of(facts, deadlock) && event == FACT_NONE; i++) {
		const struct fact_blocked *one = &facts->blockeds[i];
		uint64_t tid = one->ev.owner ? one->ev.owner : one->ev.taker;

		if (tid && one->ev.flags & MPSAN_LF_OWNER_DEAD)
			event = exception_of_thread(facts, one->at.by, (uint32_t)tid,
						    deadlock->at.time_ns);
	}
	return event;
}

/*
 * The panic of the only thread of a process that has ended after one: a thread that has caught its own would be among
 * those that wait, for all that are left do.
 */
static uint32_t only_panic(const struct facts *facts, const struct fact_deadlock *deadlock,
			   uint32_t slot)
{
	uint32_t found = FACT_NONE, event = exception_before(facts, slot, FACT_NONE), tid;

	for (; event != FACT_NONE; event = exception_before(facts, slot, event)) {
		tid = event_tid(&facts->events[event]);
		if (exception_where(facts, event) != MPSAN_WHERE_PANIC ||
		    event_time(&facts->events[event]) > deadlock->at.time_ns ||
		    tid == facts->processes[slot].slot->pid ||
		    is_blocked(facts, deadlock, slot, tid))
			continue;
		if (found != FACT_NONE && event_tid(&facts->events[found]) != tid)
			return FACT_NONE;
		found = event;
	}
	return found;
}

static uint32_t of_panic(const struct facts *facts, const struct fact_deadlock *deadlock)
{
	uint32_t event = FACT_NONE;

	if (deadlock->ev.cause != MPSAN_DEADLOCK_DEAD_END)
		return FACT_NONE;
	for (uint32_t i = deadlock->begin; i < end_of(facts, deadlock) && event == FACT_NONE; i++)
		if (is_for_any_thread(&facts->blockeds[i]) &&
		    wait_kind_is_posted(facts->blockeds[i].ev.kind))
			event = only_panic(facts, deadlock, facts->blockeds[i].at.by);
	return event;
}

uint32_t because_thread(const struct facts *facts, const struct fact_deadlock *deadlock)
{
	uint32_t event = of_owner(facts, deadlock);

	if (event == FACT_NONE)
		event = because_sent(facts, deadlock);
	return event == FACT_NONE ? of_panic(facts, deadlock) : event;
}

/* Whether each living thread of the process is part of the dead end, which any of them could have ended. */
static bool stands_whole(const struct facts *facts, const struct fact_deadlock *deadlock,
			 uint32_t slot)
{
	for (uint32_t i = deadlock->begin; i < end_of(facts, deadlock); i++)
		if (facts->blockeds[i].at.by == slot && awaits_thread(&facts->blockeds[i]))
			return deadlock->ev.cause == MPSAN_DEADLOCK_DEAD_END;
	return false;
}

static bool is_last_of_thread(const struct facts *facts, uint32_t event)
{
	uint32_t slot = facts->events[event].by, later = FACT_NONE;

	for (unsigned looked = 0; looked < MPSAN_EXCEPTIONS; looked++) {
		later = fact_event_of(facts, slot, EV_exception, later);
		if (later == event || later == FACT_NONE)
			return later == event;
		if (event_tid(&facts->events[later]) == event_tid(&facts->events[event]))
			return false;
	}
	return false;
}

bool because_gave_up(const struct facts *facts, const struct fact_deadlock *deadlock,
		     uint32_t event)
{
	uint32_t slot = facts->events[event].by, tid = event_tid(&facts->events[event]);
	uint64_t where = exception_where(facts, event);
	const struct fact_process *process = &facts->processes[slot];

	if ((where != MPSAN_WHERE_OTHER && where != MPSAN_WHERE_TASK) ||
	    !is_last_of_thread(facts, event))
		return false;
	return where == MPSAN_WHERE_TASK ||
	       (process->gone && process->gone_ns <= deadlock->at.time_ns) ||
	       (stands_whole(facts, deadlock, slot) && !is_blocked(facts, deadlock, slot, tid));
}

/* Of a main thread that waits at the end of the interpreter: others wait for what its code was to do. */
static uint32_t of_main(const struct facts *facts, const struct fact_deadlock *deadlock)
{
	for (uint32_t i = deadlock->begin; i < end_of(facts, deadlock); i++) {
		const struct fact_blocked *one = &facts->blockeds[i];
		uint32_t event = one->ev.raised ? exception_of_process(facts, one->at.by) :
						  FACT_NONE;

		if (event != FACT_NONE && exception_where(facts, event) == MPSAN_WHERE_MAIN &&
		    event_tid(&facts->events[event]) == one->at.tid)
			return event;
	}
	return FACT_NONE;
}

uint32_t because_process(const struct facts *facts, const struct fact_deadlock *deadlock,
			 uint32_t sender)
{
	uint32_t slot = deadlock->ev.dead_slot ? (uint32_t)deadlock->ev.dead_slot - 1 : sender;

	return slot < facts->process_count ? exception_of_process(facts, slot) :
					     of_main(facts, deadlock);
}

/*
 * Whether an exception that nobody saw may have kept it from what it waits for. A lock of C is none of Python's; tasks that
 * failed are found in memory; in the thread of an event loop the wait itself is the fault.
 */
static bool may_have_failed(const struct fact_blocked *last)
{
	bool of_python = last->frames.what != AWAITED_NOTHING || last->ev.flags & MPSAN_LF_PYTHON;

	return !last->frames.in_callback && !awaited_is_async(last->frames.what) &&
	       (of_python || wait_kind(last->ev.kind)->act != ACT_RELEASE);
}

const char *because_fix_first(const struct facts *facts, const struct finding *finding,
			      const struct fact_blocked *last)
{
	const struct fact_deadlock *deadlock = &facts->deadlocks[finding->deadlock - 1];
	const struct fact_blocked *first = deadlock_subject(facts, deadlock);

	if (finding->process || finding->rule == RULE_cleanup_hides_error)
		return "";
	if (first->ev.cleans)
		return "mend what raised the exception; and so that the clean-up ends even after one: ";
	if (deadlock->ev.cause == MPSAN_DEADLOCK_DEAD_END && awaits_thread(last) &&
	    exception_of_thread(facts, last->at.by, 0, deadlock->at.time_ns) != FACT_NONE)
		return "mend first what raised the exceptions of the threads that have ended; ";
	return facts->outside && finding->rule == RULE_deadlock_cycle &&
			       deadlock->ev.cause == MPSAN_DEADLOCK_DEAD_END &&
			       facts->processes[first->at.by].slot->python &&
			       may_have_failed(last) ?
		       "look first for a traceback in what the program has printed: the thread, worker or feeder of a queue that failed "
		       "is what to mend; if there is none: " :
		       "";
}

const char *because_fix(uint64_t where)
{
	switch (where) {
	case MPSAN_WHERE_FEEDER:
		return "put only what can be pickled into a queue of multiprocessing: no lambda, lock, open file or generator; the "
		       "queue's feeder thread drops an item that cannot be, and only prints why; pickle.dumps(item) before put() raises "
		       "the error where the item is made";
	case MPSAN_WHERE_THREAD:
		return "mend what raised the exception; let a thread that others wait for tell them when it fails, in a finally block "
		       "or by the exception of a Future (concurrent.futures)";
	case MPSAN_WHERE_MAIN:
		return "mend what raised the exception; tell threads and workers to stop in a finally block, so that they end when the "
		       "main thread fails";
	case MPSAN_WHERE_PANIC:
		return "mend what panicked; let a thread that others wait for end their wait when it fails, too: by dropping its end of a "
		       "channel, or by a guard whose Drop wakes them";
	case MPSAN_WHERE_ABORT:
	case MPSAN_WHERE_TERMINATE:
		return "mend what made the process abort; who aborts releases no lock and sends nothing any more, so let those that wait "
		       "for it see its end, too: {python|concurrent.futures, or wait for the sentinel of its Process beside what else is "
		       "waited for}{native|; waitpid() or a pidfd beside what they wait for, robust mutexes (PTHREAD_MUTEX_ROBUST)}";
	default:
		return "mend what raised the exception; let a worker that others wait for tell them when it fails: put a sentinel in a "
		       "finally block, or use concurrent.futures, which hands the exception to who waits for the result";
	}
}
