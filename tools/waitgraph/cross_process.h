/*
 * Conclusions about waits across processes, from plain inputs: what the claims on a shared lock,
 * the frames of Python threads and the ends of processes amount to. Nothing here asks the kernel
 * but cross_process_oom_kills(). Neighbours: pshared_locks.h has the claims; the wait-for graph calls.
 *
 * Python frames are the text of mpsan_events.def: innermost first, "function TAB file TAB line".
 */
#ifndef MPSAN_CROSS_PROCESS_H
#define MPSAN_CROSS_PROCESS_H

#include "pshared_locks.h"

enum cross_process_verdict { CROSS_NO, CROSS_DOUBT, CROSS_PROOF };

/* All claims on one object, counted; cross_process_add is a `see` for pshared_takers(). */
struct cross_process_claims {
	uint32_t held_gone, held_living;
	uint32_t wanted_gone, wanted_living;
	bool mutual, handoff; /* what any of its users has learned of it */
	struct pshared_taker dead; /* of those gone: who holds it, else who waited for it */
};
void cross_process_add(const struct pshared_taker *taker, void *claims);

/* A process-shared semaphore that somebody has been waiting for, without a limit, at two looks. */
struct cross_process_lock {
	uint64_t value; /* now */
	uint64_t first; /* pshared_made()->ev.value, UINT64_MAX: not known */
	const char *made; /* Python frames of where it was made; NULL */
	bool strangers; /* pshared_has_strangers(): dear, so asked when a verdict depends on it */
	bool all_wait; /* every thread of every process that has it is dead in the graph */
};

/*
 * lock-owner-killed. All who hold the lock are gone. A proof where nobody gives it back in their
 * place: a recursive lock refuses that, the locks inside multiprocessing are not the program's to
 * release, or all who could wait as well. The dead one is claims->dead.
 */
enum cross_process_verdict cross_process_owner_gone(const struct cross_process_lock *lock,
						    const struct cross_process_claims *claims);

/*
 * waiter-killed. Condition.__init__ makes three semaphores in this order, in CPython 3.9 to 3.13:
 * sleeping_count, woken_count, wait_semaphore. notify() posts the third for each sleeper that it
 * has counted, and then waits for as many posts of the second. It holds the condition's lock, so
 * nobody can begin to sleep meanwhile: a post of the third that lies there while no living thread
 * waits for it was meant for the dead, and the second one's is not coming. `woken` is what the
 * notifier waits for, `wait` and its claims the one made right after, `sleeping` right before.
 */
enum cross_process_verdict cross_process_waiter_gone(
	const struct cross_process_lock *sleeping, const struct cross_process_lock *woken,
	const struct cross_process_lock *wait, const struct cross_process_claims *wait_claims);

/* What a thread of multiprocessing.Pool, or one that uses it, is doing. */
enum cross_process_part {
	CROSS_PART_NONE, /* nothing of a pool's */
	CROSS_PART_WAITER, /* in ApplyResult.wait or IMapIterator.next */
	CROSS_PART_WORKER_IDLE, /* wants its next task */
	CROSS_PART_WORKER_BUSY,
	CROSS_PART_TASKS_IDLE, /* the task handler has nothing to hand on */
	CROSS_PART_TASKS_BUSY,
	CROSS_PART_RESULTS_IDLE, /* the result handler reads */
	CROSS_PART_RESULTS_BUSY,
};
enum cross_process_part cross_process_part(const char *python);

/* Whether the frames at a fork are those of a pool that makes a worker. */
bool cross_process_makes_worker(const char *python);
/* Whether the frames at the making of a lock are those of a pool's own queues. */
bool cross_process_makes_pool_queue(const char *python);

/* Calls `see` for every child, living or dead, that a process made as a worker of a pool. */
void cross_process_workers(const struct reader *reader, uint32_t slot,
			   void (*see)(uint32_t child, void *context), void *context);
/* Whether a process has, or had at its end, a claim on a lock of a pool's queues. */
bool cross_process_in_queue(const struct reader *reader, struct shared *shared, uint32_t slot);

struct cross_process_worker {
	uint32_t slot;
	bool alive;
	bool blocked; /* alive: its main thread stood still at two looks */
	bool reads; /* alive: in a read, so that the queue of tasks is empty */
	bool in_queue; /* gone: cross_process_in_queue() */
	enum cross_process_part part; /* alive: of its main thread */
	uint16_t end; /* gone: enum mpsan_end */
	int32_t end_value;
	uint64_t end_ns;
};

struct cross_process_pool {
	uint32_t pools; /* threads of the process that are a result handler: one for each pool */
	enum cross_process_part tasks, results; /* of the two handlers */
	bool tasks_blocked, results_blocked; /* stood still at two looks, the second in a read */
	const struct cross_process_worker *worker; /* every child that was made as a worker */
	uint32_t workers;
};

/*
 * worker-lost: no result can come any more for a thread that stands in CROSS_PART_WAITER without
 * a time limit, because
 *  - the process has one pool, so that all workers below are that pool's;
 *  - its task handler has nothing left to send: it waits for the program to ask for more;
 *  - every living worker waits for a task, one of them in the read itself: the pipe is empty;
 *  - the result handler waits in its read: nothing is under way back;
 *  - a worker ended by a signal and was not taking a task nor sending a result at that moment.
 * The index of that worker, the last to end; CROSS_NONE: no such proof. SIGTERM is what terminate()
 * sends, to workers of pools that are over, and proves nothing.
 */
#define CROSS_NONE UINT32_MAX
uint32_t cross_process_worker_lost(const struct cross_process_pool *pool);

/*
 * Processes that the kernel has killed for want of memory in the control group of a process, since
 * that group exists; -1: not known. A higher number now than at the session's start is evidence.
 */
int64_t cross_process_oom_kills(uint32_t pid);

#endif
