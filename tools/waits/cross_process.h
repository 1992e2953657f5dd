/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conclusions about waits across processes, from plain inputs: claims on a process-shared lock,
 * frames of Python threads, ends of processes. Nothing here asks the kernel.
 * Neighbours: pshared_locks.h has the claims; dead_owners.h calls.
 *
 * Python frames are text as in mpsan_events.def: innermost first, "function TAB file TAB line".
 */
#pragma once

#include "pshared_locks.h"

enum cross_process_verdict { CROSS_NO, CROSS_DOUBT, CROSS_PROOF };

/* All claims on one object, counted; cross_process_add is a `see` for pshared_takers(). */
struct cross_process_claims {
	uint32_t held_gone, held_living;
	uint32_t wanted_gone, wanted_living;
	bool mutual, handoff; /* as learned by any of its users */
	struct pshared_taker dead; /* the claim of a dead process: an owner, else a waiter */
};
void cross_process_add(const struct pshared_taker *taker, void *claims);

/* A process-shared semaphore that a thread waited for, without a timeout, in two snapshots. */
struct cross_process_lock {
	uint64_t value; /* current value */
	uint64_t first; /* pshared_made()->ev.value; UINT64_MAX: unknown */
	const char *made; /* Python frames of its creation; NULL: unknown */
	/* pshared_has_strangers(): expensive, so only called if a verdict depends on it */
	bool strangers;
	bool all_wait; /* every thread of every process that has it is dead in the graph */
	bool unhelped; /* long after the owner's end, those who go on have not released it */
};

/*
 * lock-owner-killed: all owners of the lock are dead. Proved if nothing else can release it: a
 * recursive lock refuses that, multiprocessing's internal locks are not accessible to the program,
 * or all possible releasers wait themselves; or it is a lock that those who take it release, and nobody
 * has done that for the dead owner. That one is claims->dead.
 */
enum cross_process_verdict cross_process_owner_gone(const struct cross_process_lock *lock,
						    const struct cross_process_claims *claims);

/*
 * waiter-killed. In CPython 3.9 to 3.13 Condition.__init__ creates three semaphores in this order:
 * sleeping_count, woken_count, wait_semaphore. notify() posts the third for each sleeper that it
 * has counted, and then waits for as many posts of the second. It holds the condition's lock, so no
 * thread can begin to sleep meanwhile: a post of the third that remains while no living thread
 * waits for it was meant for a dead process, whose post of the second will not come. `woken` is
 * what the notifier waits for, `wait` with its claims the semaphore created right after it,
 * `sleeping` right before it.
 */
enum cross_process_verdict cross_process_waiter_gone(
	const struct cross_process_lock *sleeping, const struct cross_process_lock *woken,
	const struct cross_process_lock *wait, const struct cross_process_claims *wait_claims);

/* The role of a thread in multiprocessing.Pool. */
enum cross_process_part {
	CROSS_PART_NONE, /* none */
	CROSS_PART_WAITER, /* in ApplyResult.wait or IMapIterator.next */
	CROSS_PART_WORKER_IDLE, /* waits for its next task */
	CROSS_PART_WORKER_BUSY,
	CROSS_PART_TASKS_IDLE, /* the task handler waits for tasks */
	CROSS_PART_TASKS_BUSY,
	CROSS_PART_RESULTS_IDLE, /* the result handler reads from its pipe */
	CROSS_PART_RESULTS_OF_THREADS, /* that of a ThreadPool waits, in C */
	CROSS_PART_RESULTS_BUSY,
};
enum cross_process_part cross_process_part(const char *python);

/* Whether the frames at a fork are those of a pool starting a worker. */
bool cross_process_makes_worker(const char *python);
/* Whether that is in place of one that has ended. */
bool cross_process_replaces_worker(const char *python);
/* Whether the frames at a lock's creation are those of a pool creating its queues. */
bool cross_process_makes_pool_queue(const char *python);

/* Calls `see` for every child, living or dead, that a process created as a pool worker. */
void cross_process_workers(const struct reader *reader, uint32_t slot,
			   void (*see)(uint32_t child, void *context), void *context);
/* Whether a process has, or had when it ended, a claim on a lock of a pool's queues. */
bool cross_process_in_queue(const struct reader *reader, struct shared *shared, uint32_t slot);

struct cross_process_worker {
	uint32_t slot;
	bool alive;
	bool blocked; /* alive: its main thread was blocked in two snapshots */
	bool reads; /* alive: it reads, so the queue of tasks is empty */
	bool in_queue; /* dead: cross_process_in_queue() */
	/* alive: it was started in place of one that has ended, which had no limit of tasks */
	bool replaces;
	enum cross_process_part part; /* alive: of its main thread */
	uint16_t end; /* dead: enum mpsan_end */
	int32_t end_value;
	uint64_t end_ns;
};

struct cross_process_pool {
	uint32_t pools; /* result handler threads in the process: one per pool */
	uint32_t feeders; /* task handler threads: one per pool */
	enum cross_process_part tasks, results; /* of the two handlers */
	bool polled; /* its main thread waits for no result, but may look for one again and again */
	/* blocked in two snapshots, the second one while reading */
	bool tasks_blocked, results_blocked;
	const struct cross_process_worker *worker; /* every child created as a worker */
	uint32_t workers;
};

/*
 * worker-lost: no result can arrive any more for a thread in CROSS_PART_WAITER without a timeout,
 * because
 * - the process has one pool, so all workers below are that pool's;
 * - its task handler has nothing left to send: it waits for the program;
 * - every living worker waits for a task, one of them in the read itself: the pipe is empty;
 * - the result handler waits in its read: no result is in flight;
 * - a worker was killed by a signal while it was neither receiving a task nor sending a result.
 * Returns the index of that worker, the last one to end; CROSS_NONE: no proof. SIGTERM proves
 * nothing: terminate() sends it to the workers of finished pools.
 */
#define CROSS_NONE UINT32_MAX
uint32_t cross_process_worker_lost(const struct cross_process_pool *pool);
/* The same where nothing is left of that worker but another one in its place. */
bool cross_process_worker_replaced(const struct cross_process_pool *pool);
