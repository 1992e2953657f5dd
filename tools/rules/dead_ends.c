/* SPDX-License-Identifier: Apache-2.0 */
/* Follows the waits of a deadlock to the last one, and finds the row that fits. */
#include "dead_ends.h"

#include "../base/system_calls.h"
#include "../facts/processes.h"
#include "../facts/wait_kinds.h"
#include "deadlock.h"
#include "parked.h"

/* What the rows ask. */
struct end {
	enum awaited what; /* of the last wait */
	uint64_t kind;
	bool by_itself; /* only the waiter could end it */
	bool item_lost; /* one that was put has not come, and no feeder has it to send */
	bool kept; /* only a sibling that was created later has the other end */
	bool lock; /* for a lock, but nobody is known to own it */
	bool ended; /* the thread that took it has ended */
	bool receivers; /* from a connection, and so does another */
	bool in_hub; /* gevent's hub waits */
	bool unwoken; /* its event loop has callbacks to run, and sleeps */
	bool closed; /* its process has closed the descriptor */
	bool handoff; /* for a message queue, or a semaphore that is a signal */
	bool readers; /* whoever could send reads, too */
	bool lacks; /* a process has failed, or ended, that could have sent something, perhaps */
	bool other_full; /* another process fills a pipe, not that of a queue */
	bool tests; /* in a loop, by wait_for() */
	bool alone; /* no other thread is part of it */
	bool left; /* by a thread that the interpreter joins since the program has ended */
	bool task; /* in a task of a pool, for which others wait */
	bool nested, callback;
	bool in_callback; /* it, or whoever could set its result, waits in the thread of an event loop */
	bool undelivered; /* the thread of its Pool that delivers results is no part of it */
	bool worker_failed; /* a worker that its process had started was killed, or failed */
	bool under_lock, holds; /* it, or the last one, holds a lock that others need; it does */
	bool exits; /* one of them waits in exit() */
	bool destroys; /* one of them destroys a condition variable for which another waits */
	bool initialises; /* one of them runs an initialiser for which another waits */
	/* all joins, a join, the GIL, a read lock, a result of a Pool, a C++ guard; but for the GIL only of a circle */
	bool joins, join, gil, read, result, guard;
	/* the lock that who waits, or joins, has: that of an import, of its handler of logging, of the loader */
	bool imports, logs, loads;
	bool across; /* of a circle: its threads are of several processes */
};

#define AWAITS(name) (end->what == AWAITED_##name)
#define FULL wait_kind_writes(end->kind)
#define EMPTY wait_kind_reads(end->kind)

#define DEAD_END(name, when, title, story, fix)                                           \
	static MESSAGE msg_##name = {                                                     \
		"[{thread} of ]process {pid} {waits} at {wait_at}{handler}|, and |" story \
		": {deadlock}",                                                           \
		{STEP_ALL_BLOCKED},                                                       \
	};
#include "dead_ends.def"

static MESSAGE msg_circle = {
	"threads of process {pid} are deadlocked[ in a wait-for cycle]: {deadlock}",
	{STEP_ALL_BLOCKED},
};

static MESSAGE msg_circle_across = {
	"threads of several processes are deadlocked[ in a wait-for cycle]: {deadlock}",
	{STEP_ALL_BLOCKED},
};

/* Of a static variable in C++, or of call_once. */
static bool is_initialiser(uint64_t kind)
{
	return kind == MPSAN_LOCK_GUARD || kind == MPSAN_LOCK_ONCE;
}

static struct dead_end row_of_end(const struct end *end)
{
#define DEAD_END(name, when, title, story, fix) \
	if (when)                               \
		return (struct dead_end){title, fix, &msg_##name, end->undelivered};
#include "dead_ends.def"
}

static struct dead_end row_of_circle(const struct end *end)
{
	const struct message_text *circle = end->across ? &msg_circle_across : &msg_circle;

#define CIRCLE(name, when, title, fix) \
	if (when)                      \
		return (struct dead_end){title, fix, circle, false};
#include "dead_ends.def"
}

static uint32_t end_of(const struct facts *facts, const struct fact_deadlock *deadlock)
{
	return deadlock->end < facts->blocked_count ? deadlock->end : facts->blocked_count;
}

static bool awaits_result(const struct fact_blocked *blocked)
{
	return blocked->frames.what == AWAITED_RESULT || blocked->frames.what == AWAITED_RESULTS ||
	       blocked->frames.what == AWAITED_POOL_RESULT;
}

bool dead_end_in_hub(const struct fact_blocked *blocked)
{
	const struct ev_blocked *ev = &blocked->ev;

	return blocked->frames.in_hub &&
	       (ev->kind == MPSAN_WAIT_READY || blocked->frames.what != AWAITED_NOTHING ||
		(ev->kind == MPSAN_WAIT_SYSCALL && /* its lock is the number */
		 system_call_is_poll((long)ev->lock)));
}

bool dead_end_is_nested(const struct fact_blocked *blocked)
{
	return blocked->frames.in_task && awaits_result(blocked);
}

static bool is_main_of_child(const struct facts *facts, const struct fact_blocked *from,
			     const struct fact_blocked *to)
{
	return process_parent(facts, to->at.by) == from->at.by &&
	       to->at.tid == facts->processes[to->at.by].slot->pid;
}

/* Whether the second one may be what the first one waits for. */
static bool leads_to(const struct facts *facts, const struct fact_blocked *from,
		     const struct fact_blocked *to)
{
	uint32_t slot = from->ev.owner_slot ? (uint32_t)from->ev.owner_slot - 1 : from->at.by;

	if (from->ev.owner)
		return to->at.tid == from->ev.owner && to->at.by == slot;
	if (from->frames.what == AWAITED_LEFT_END)
		return to->frames.what == AWAITED_THREAD_END && to->at.by == from->at.by;
	if (from->frames.what == AWAITED_REPLY) /* the manager's thread that acts for it */
		return to->frames.serves && wait_kind(to->ev.kind)->meant == PARKED_BLOCKED;
	if (from->frames.what == AWAITED_ANY_OF) /* a pool's own thread, for its workers to end */
		return to->frames.in_task && process_parent(facts, to->at.by) == from->at.by;
	if (from->frames.what == AWAITED_RANK_END)
		return is_main_of_child(facts, from, to);
	if (from->ev.kind == MPSAN_WAIT_PROCESS)
		return deadlock_awaits_process(facts, &from->ev, to->at.by) ||
		       (!from->ev.lock && is_main_of_child(facts, from, to)); /* a program, too */
	if (from->frames.what == AWAITED_LOOP) /* a coroutine, for run_in_executor() */
		return to->at.by == from->at.by && dead_end_is_nested(to) &&
		       to->ev.flags & MPSAN_LF_QUEUED;
	return awaits_result(from) && to->frames.in_task &&
	       (to->at.by == from->at.by || process_parent(facts, to->at.by) == from->at.by);
}

/* The thread that waits in a callback of an event loop, which does nothing else meanwhile, in the process of another one. */
static const struct fact_blocked *blocked_loop(const struct facts *facts,
					       const struct fact_deadlock *deadlock,
					       const struct fact_blocked *of)
{
	for (uint32_t i = deadlock->begin; i < end_of(facts, deadlock); i++)
		if (&facts->blockeds[i] != of && facts->blockeds[i].at.by == of->at.by &&
		    facts->blockeds[i].frames.in_callback)
			return &facts->blockeds[i];
	return NULL;
}

/* Whether it waits in the middle of its work, not for more, nor for an end. */
static bool is_amid_work(const struct fact_blocked *blocked)
{
	return (blocked->frames.what == AWAITED_NOTHING ? wait_kind(blocked->ev.kind)->meant :
							  blocked->frames.meant) == PARKED_BLOCKED;
}

/* The only thread amid work of a process that alone has the other end of the connection from which one of it reads: it would
 * answer. */
static const struct fact_blocked *own_peer(const struct facts *facts,
					   const struct fact_deadlock *deadlock,
					   const struct fact_blocked *from)
{
	const struct fact_blocked *found = NULL;

	if (from->ev.kind != MPSAN_WAIT_SOCKET_READ || from->ev.owner_slot != from->at.by + 1u)
		return NULL;
	for (uint32_t i = deadlock->begin; i < end_of(facts, deadlock); i++) {
		const struct fact_blocked *one = &facts->blockeds[i];

		if (one == from || one->at.by != from->at.by || !is_amid_work(one))
			continue;
		if (found)
			return NULL;
		found = one;
	}
	return found;
}

static const struct fact_blocked *next_of(const struct facts *facts,
					  const struct fact_deadlock *deadlock,
					  const struct fact_blocked *from)
{
	for (uint32_t i = deadlock->begin; i < end_of(facts, deadlock); i++)
		if (&facts->blockeds[i] != from && leads_to(facts, from, &facts->blockeds[i]))
			return &facts->blockeds[i];
	return awaits_result(from) && !from->frames.in_callback ?
		       blocked_loop(facts, deadlock, from) :
		       own_peer(facts, deadlock, from);
}

static bool is_nested(const struct facts *facts, const struct fact_deadlock *deadlock,
		      const struct fact_blocked *blocked)
{
	return dead_end_is_nested(blocked) && !blocked_loop(facts, deadlock, blocked);
}

const struct fact_blocked *dead_end_next(const struct facts *facts,
					 const struct fact_deadlock *deadlock,
					 const struct fact_blocked *from)
{
	const struct fact_blocked *first = deadlock_subject(facts, deadlock),
				  *next = next_of(facts, deadlock, from);

	return next == first || is_nested(facts, deadlock, from) ? NULL : next;
}

const struct fact_blocked *dead_end_last(const struct facts *facts,
					 const struct fact_deadlock *deadlock)
{
	const struct fact_blocked *at = deadlock_subject(facts, deadlock), *next;

	for (uint32_t i = deadlock->begin; i < deadlock->end; i++) {
		next = dead_end_next(facts, deadlock, at);
		if (!next)
			break;
		at = next;
	}
	return at;
}

static bool is_join(const struct ev_blocked *ev)
{
	return wait_kind(ev->kind)->act == ACT_END;
}

static bool joins(const struct fact_blocked *blocked)
{
	return is_join(&blocked->ev) || awaited_nature(blocked->frames.what) == AWAITED_END;
}

static bool serves_as_lock(const struct ev_blocked *ev)
{
	return !ev->owner && mpsan_kind_is_lock((unsigned)ev->kind) &&
	       (ev->kind != MPSAN_LOCK_SEMAPHORE ||
		ev->flags & (MPSAN_LF_PYTHON | MPSAN_LF_MUTUAL));
}

/* Whether it waits for a lock, and nobody is known to own it. */
static bool awaits_lock(const struct fact_blocked *blocked)
{
	return blocked->frames.what == AWAITED_NOTHING && serves_as_lock(&blocked->ev);
}

bool dead_end_is_unknown(const struct fact_blocked *last)
{
	return awaits_lock(last) && !(last->ev.taker && last->ev.flags & MPSAN_LF_OWNER_DEAD);
}

/* A lock whose owner waits for something else. */
static void look_at_lock(const struct fact_blocked *waiter, const struct fact_blocked *owner,
			 struct end *end)
{
	end->imports |= waiter->frames.what == AWAITED_IMPORT_LOCK;
	end->logs |= waiter->frames.what == AWAITED_LOG_LOCK && owner->frames.logs;
	end->loads |= !!(waiter->ev.flags & MPSAN_LF_LOADER);
}

/* Who waits for what is sent, the first or last one, and has a lock for which a thread waits; NULL: neither. */
static const struct fact_blocked *waits_under_lock(const struct facts *facts,
						   const struct fact_deadlock *deadlock,
						   const struct fact_blocked *last, struct end *end)
{
	const struct fact_blocked *first = deadlock_subject(facts, deadlock);

	for (uint32_t i = deadlock->begin; i < end_of(facts, deadlock); i++) {
		const struct fact_blocked *one = &facts->blockeds[i], *owner;

		if (!one->ev.owner || joins(one) ||
		    one->frames.what == AWAITED_POOL_RESULT) /* its owner delivers it */
			continue;
		owner = next_of(facts, deadlock, one);
		if ((owner == first || owner == last) && !owner->ev.owner && !awaits_lock(owner)) {
			look_at_lock(one, owner, end);
			return owner;
		}
	}
	return NULL;
}

static bool runs_initialiser(const struct facts *facts, const struct fact_deadlock *deadlock)
{
	for (uint32_t i = deadlock->begin; i < end_of(facts, deadlock); i++)
		if (is_initialiser(facts->blockeds[i].ev.kind))
			return true;
	return false;
}

/* Whether the thread that delivers a Pool's results waits, in a callback. */
static bool has_callback(const struct facts *facts, const struct fact_deadlock *deadlock)
{
	for (uint32_t i = deadlock->begin; i < end_of(facts, deadlock); i++)
		if (facts->blockeds[i].frames.what == AWAITED_POOL_RESULT &&
		    facts->blockeds[i].ev.owner)
			return true;
	return false;
}

static bool any_exits(const struct facts *facts, const struct fact_deadlock *deadlock)
{
	for (uint32_t i = deadlock->begin; i < end_of(facts, deadlock); i++)
		if (facts->blockeds[i].ev.flags & MPSAN_LF_EXIT)
			return true;
	return false;
}

static bool any_destroys(const struct facts *facts, const struct fact_deadlock *deadlock)
{
	const struct fact_blocked *blocked = facts->blockeds;

	for (uint32_t i = deadlock->begin; i < end_of(facts, deadlock); i++)
		for (uint32_t k = deadlock->begin; k < end_of(facts, deadlock); k++)
			if (blocked[i].at.by == blocked[k].at.by &&
			    parked_destroys(blocked[i].ev.kind, blocked[i].ev.lock,
					    blocked[k].ev.kind, blocked[k].ev.lock))
				return true;
	return false;
}

/* A worker of the same process without work could run what the tasks wait for. */
static bool has_idle_worker(const struct facts *facts, const struct fact_deadlock *deadlock,
			    uint32_t by)
{
	for (uint32_t i = deadlock->begin; i < end_of(facts, deadlock); i++)
		if (facts->blockeds[i].at.by == by &&
		    (facts->blockeds[i].frames.what == AWAITED_EXECUTOR_WORK ||
		     facts->blockeds[i].frames.what == AWAITED_POOL_WORK))
			return true;
	return false;
}

/* Whether a thread waits to read what another one of the circle waits to write: waiting writers go first. */
static bool is_read_again(const struct facts *facts, const struct fact_deadlock *deadlock,
			  const struct fact_blocked *one, uint32_t end)
{
	if (one->ev.kind != MPSAN_LOCK_RWLOCK_READ)
		return false;
	for (uint32_t i = deadlock->begin; i < end; i++) {
		const struct ev_blocked *other = &facts->blockeds[i].ev;

		if (other->kind == MPSAN_LOCK_RWLOCK_WRITE && other->lock == one->ev.lock &&
		    other->flags & MPSAN_LF_CYCLE)
			return true;
	}
	return false;
}

static void look_at_circle(const struct facts *facts, const struct fact_deadlock *deadlock,
			   struct end *end)
{
	const struct fact_blocked *before = NULL;

	end->joins = true;
	for (uint32_t i = deadlock->begin; i < end_of(facts, deadlock); i++) {
		const struct fact_blocked *one = &facts->blockeds[i], *owner;

		if (!(one->ev.flags & MPSAN_LF_CYCLE))
			continue;
		end->across = end->across || (before && before->at.by != one->at.by);
		before = one;
		end->joins = end->joins && joins(one);
		end->join = end->join || joins(one);
		owner = joins(one) ? NULL : next_of(facts, deadlock, one);
		if (owner && joins(owner))
			look_at_lock(one, owner, end);
		end->result = end->result || one->frames.what == AWAITED_POOL_RESULT;
		end->gil = end->gil || one->ev.kind == MPSAN_WAIT_GIL;
		end->guard = end->guard || is_initialiser(one->ev.kind);
		end->read = end->read ||
			    is_read_again(facts, deadlock, one, end_of(facts, deadlock));
	}
}

static bool is_undelivered(const struct facts *facts, const struct fact_deadlock *deadlock,
			   const struct fact_blocked *last)
{
	for (uint32_t i = deadlock->begin; i < end_of(facts, deadlock); i++)
		if (facts->blockeds[i].at.by == last->at.by &&
		    (facts->blockeds[i].frames.delivers || !facts->blockeds[i].ev.python))
			return false;
	return last->frames.what == AWAITED_POOL_RESULT;
}

static bool has_failed_worker(const struct facts *facts, const struct fact_deadlock *deadlock,
			      uint32_t parent)
{
	for (uint32_t i = 0; i < facts->process_count; i++) {
		const struct fact_process *process = &facts->processes[i];

		if (process->gone && process->gone_ns <= deadlock->at.time_ns &&
		    process_parent(facts, i) == parent && process_failed_untold(process->slot))
			return true;
	}
	return false;
}

/* Whether another thread of the deadlock receives from a connection as well. */
static bool has_receivers(const struct facts *facts, const struct fact_deadlock *deadlock,
			  const struct fact_blocked *last)
{
	for (uint32_t i = deadlock->begin; i < end_of(facts, deadlock); i++)
		if (&facts->blockeds[i] != last &&
		    facts->blockeds[i].ev.kind == MPSAN_WAIT_SOCKET_READ)
			return last->ev.kind == MPSAN_WAIT_SOCKET_READ;
	return false;
}

/* Whether the feeder of a queue waits for anything else than items: it has some. */
static bool is_to_be_sent(const struct facts *facts, const struct fact_deadlock *deadlock)
{
	for (uint32_t i = deadlock->begin; i < end_of(facts, deadlock); i++)
		if (facts->blockeds[i].frames.feeds &&
		    facts->blockeds[i].frames.what != AWAITED_FEEDER_WORK)
			return true;
	return false;
}

/* Whether the process at the other end writes its output into a full pipe. */
static bool has_full_pipe(const struct facts *facts, const struct fact_deadlock *deadlock,
			  const struct fact_blocked *last)
{
	const struct fact_blocked *writer = deadlock_writer(facts, deadlock);

	return writer && writer->at.by != last->at.by && writer->frames.what == AWAITED_NOTHING &&
	       (!last->ev.owner_slot || last->ev.owner_slot == writer->at.by + 1u);
}

/* Whether the interpreter waits for it, directly or not, after the end of the program. */
static bool is_left(const struct facts *facts, const struct fact_deadlock *deadlock,
		    const struct fact_blocked *last)
{
	for (uint32_t i = deadlock->begin; i < end_of(facts, deadlock); i++)
		if (facts->blockeds[i].frames.what == AWAITED_LEFT_END &&
		    facts->blockeds[i].at.by == last->at.by)
			return &facts->blockeds[i] != last;
	return false;
}

struct dead_end dead_end_of(const struct facts *facts, const struct fact_deadlock *deadlock)
{
	const struct fact_blocked *last = dead_end_last(facts, deadlock), *holder;
	struct end end = {
		.what = last->ev.owner ? AWAITED_NOTHING : last->frames.what,
		.kind = last->ev.kind,
		.lock = awaits_lock(last),
		.ended = last->ev.taker && last->ev.flags & MPSAN_LF_OWNER_DEAD,
		.by_itself = last->ev.owner_slot == last->at.by + 1u,
		.item_lost = last->ev.flags & MPSAN_LF_QUEUED && !is_to_be_sent(facts, deadlock),
		.kept = deadlock_lacks_end(facts, last),
		.receivers = has_receivers(facts, deadlock, last),
		.in_hub = dead_end_in_hub(last),
		.unwoken = last->ev.flags & MPSAN_LF_UNWOKEN,
		.closed = last->ev.flags & MPSAN_LF_CLOSED,
		.handoff = last->ev.flags & MPSAN_LF_HANDOFF,
		.readers = last->ev.flags & MPSAN_LF_READERS,
		.lacks = deadlock->ev.dead_slot,
		.other_full = has_full_pipe(facts, deadlock, last),
		.tests = last->frames.tests,
		.alone = end_of(facts, deadlock) - deadlock->begin == 1,
		.left = is_left(facts, deadlock, last) && awaited_is_sent(last->frames.what),
		.task = last->frames.in_task && last != deadlock_subject(facts, deadlock),
		.in_callback = last->frames.in_callback ||
			       (awaits_result(last) && blocked_loop(facts, deadlock, last)),
		.undelivered = is_undelivered(facts, deadlock, last),
		.worker_failed = has_failed_worker(facts, deadlock, last->at.by),
		.nested = is_nested(facts, deadlock, last) &&
			  !has_idle_worker(facts, deadlock, last->at.by),
	};

	if (deadlock->ev.cause == MPSAN_DEADLOCK_CYCLE) {
		look_at_circle(facts, deadlock, &end);
		return row_of_circle(&end);
	}
	holder = waits_under_lock(facts, deadlock, last, &end);
	end.under_lock = holder;
	end.holds = holder && holder == deadlock_subject(facts, deadlock);
	end.initialises = runs_initialiser(facts, deadlock);
	end.exits = any_exits(facts, deadlock);
	end.destroys = any_destroys(facts, deadlock);
	end.gil = deadlock_waiter(facts, deadlock, MPSAN_WAIT_GIL);
	end.callback = has_callback(facts, deadlock);
	return row_of_end(&end);
}
