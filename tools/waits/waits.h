/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What each thread of a snapshot waits for, and who could end that wait. A wait that is not
 * understood, has a timeout, or could be ended from outside counts as open: it is never part of a
 * proof. Neighbours: snapshot.h has the threads, graph.h finds the dead ones.
 */
#pragma once

#include "../job/job.h"
#include "../symbols/pyview.h"
#include "pshared_locks.h"
#include "wakers.h"

struct native;

enum wait_end {
	WAIT_OPEN, /* running, or a waker outside the graph exists */
	WAIT_OWNERS, /* each of these threads must release it */
	WAIT_PROCESSES, /* any thread of any of these processes may end it */
	WAIT_NOBODY, /* its owner has ended */
};

#define WAIT_LOOP_FAULT \
	(MPSAN_LF_UNWOKEN | MPSAN_LF_STUCK) /* of an event loop, whatever else it does */

struct wait {
	enum wait_end end;
	/* range in waits.who: threads or processes of the snapshot, by index */
	uint32_t begin, count;
	/* range in waits.who: threads that cannot end it, see solve.c */
	uint32_t apart, apart_count;
	uint64_t kind; /* enum mpsan_lock_kind */
	uint64_t lock; /* address, pid or inode */
	uint64_t caller; /* return address of the waiting call; 0: unknown */
	uint64_t flags; /* enum mpsan_lock_flags */
	bool tries; /* it sleeps, and asks for it in between, again and again */
	bool renewed; /* it polls for what a worker that failed was to send: see look_add_failed */
	bool of_team; /* for the threads of a parallel region: see OPENMP_REGION, set by forked_waits.c */
	bool of_task; /* for a result that only the thread delivers which runs the task */
	bool joins; /* Python's Thread.join: a semaphore that the end of its owner releases */
	enum mpsan_wait_ends ends; /* what ends it, whether or not it succeeds */
	uint64_t ends_ns; /* when, see wait_ends_at; 0: unknown */
	bool handler_gives_up; /* the handler of its timer is a time limit's: it sends nothing */
	bool handlers_known;
	bool by_signal; /* it is open because a handler of a signal could end it */
	bool memory; /* in shared memory: processes that map it could end the wait */
	bool memory_known; /* other processes with access to that memory were looked up */
	bool by_job; /* every process of the job could end it */
	/* it ends no other thread's wait: a watchdog of Python, see look_add_watchdog, or a thread of the CUDA driver */
	bool harmless;
	bool driver; /* a thread of the CUDA driver: whatever it may call, it reads from no pipe, and ends no process */
	bool serves; /* open, but only on request: a helper process that acts for others */
	bool may_serve; /* what it waits for may be meant to come from outside: a signal, a FIFO's writer; see peer_waits.h */
	bool is_helped; /* who could end it is known to be at work: set by long_waits.c */
	bool is_early; /* who has its descriptor is only looked up once it has lasted */
	bool interruptible; /* SIGINT from the keyboard would run a handler */
	uint32_t holder; /* thread that claims an object without an owner; SNAPSHOT_NONE: unknown */
	uint32_t gone; /* TID of an owner that has ended */
	uint32_t gone_slot; /* slot + 1 of its process; 0: unknown */
	uint64_t
		/* return address of that owner's acquiring call; 0: unknown */
		taken;
};

/* Whether the thread with a number in a PID namespace was found to have ended, in the snapshot of that time. */
struct waits_gone {
	uint64_t at_ns, space;
	uint32_t tid;
	bool is;
};

/* The only thread that was found to keep a lock of multiprocessing, in the snapshot of that time. */
struct waits_keeper {
	uint64_t at_ns;
	struct pshared_key key;
	uint32_t thread; /* SNAPSHOT_NONE: none, or several */
	uint64_t address; /* of the lock, in its process */
};

struct waits {
	struct snapshot *snapshot;
	struct wakers wakers;
	ARRAY(struct wait) item; /* one per thread of the snapshot */
	ARRAY(uint32_t) who;
	struct native *native; /* their stacks, where the kind of a wait does not tell enough */
	struct pyview *view; /* while they are determined: of process `view_of` */
	uint32_t view_of;
	uint64_t verdict_ns; /* of the snapshot in which a deadlock is about to be told */
	struct shared *shared; /* see waits_shared */
	struct waits_gone gone; /* the last one that was asked for */
	struct waits_keeper keeper; /* the same */
	uint64_t shared_ns; /* of the snapshot for which it was brought up to date */
};

/* Whether it is not known to wait for others of the job: it sleeps, or serves somebody outside. */
static inline bool wait_is_apart(const struct wait *wait)
{
	return wait_kind(wait->kind)->act == ACT_NONE;
}

/* Whether it waits for data from a pipe or connection. */
static inline bool wait_is_read(const struct wait *wait)
{
	return wait_kind(wait->kind)->flow == FLOW_READS;
}

/* Whether a thread that goes on could end it after all, though it has not yet. */
static inline bool wait_is_doubted(const struct wait *wait)
{
	return wait->apart_count && job_excuses_doubt(1ull << JOB_EXCUSE_UNDRAINED);
}

/* Whether the thread runs now and then while it waits. */
static inline bool wait_wakes(const struct wait *wait)
{
	return wait->ends == MPSAN_ENDS_POLL || wait->tries;
}

/* What the solver knows of a wait, without its enders. */
struct job_wait wait_as_row(const struct wait *wait);
/* See job_ends_at. */
uint64_t wait_ends_at(const struct wait *wait);
/* When the thread began to wait; if it polls, for the first time. */
uint64_t wait_since(const struct snapshot *snapshot, const struct waits *waits, uint32_t thread);
/*
 * Whether it succeeds only by a certain owner, thread, process or reader; anything that is sent ends
 * any other.
 */
bool wait_needs_owner(const struct wait *wait);
/* Whether its own time limit ends it. */
static inline bool wait_is_timed(const struct wait *wait)
{
	return wait->ends == MPSAN_ENDS_LIMIT || wait->ends == MPSAN_ENDS_POLL;
}

/*
 * Determines all waits. Uses cached data up to some seconds old, and ignores signal handlers: that
 * can make a wait look dead that is not, never the reverse.
 */
void waits_find(struct waits *waits, struct snapshot *snapshot);
void waits_finish(struct waits *waits);

/* The process-shared locks of the session, up to date for this snapshot. */
struct shared *waits_shared(struct waits *waits);

/*
 * Before a verdict: whether the thread was merely stopped, by a signal or a debugger, or a signal
 * handler could end its wait, which then becomes open. True if that changed something.
 */
bool waits_check_handlers(struct waits *waits, uint32_t thread);
/*
 * Before a verdict: whether a process that does not map the shared memory yet could end the wait.
 */
bool waits_check_memory(struct waits *waits, uint32_t thread);
/*
 * Whether a thread reads from a pipe in a daemon of multiprocessing, which its parent ends at its own end: a process that
 * waits for nothing more, as long as its parent goes on.
 */
bool waits_in_daemon(struct waits *waits, uint32_t thread);
/*
 * The last check: whether the thread has run, or was woken, meanwhile, by a process that has ended
 * since. Only waiters for Python's GIL may run all the time.
 */
bool waits_check_moved(struct waits *waits, uint32_t thread);

/* Whether a thread that goes on by itself may release a lock that another has taken, as who hands one on does. */
bool waits_any_hands_on(const struct waits *waits);

/*
 * Whether a thread of a deadlock waits for a lock of multiprocessing that no process has which is left, by the
 * counts of their interpreters: whoever took it has ended. From outside only, where no claims were recorded.
 */
bool waits_owner_has_ended(const struct waits *waits, uint32_t index);
