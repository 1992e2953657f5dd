/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread under examination, shared by the parts of waits.c. Neighbours: waits.h is the
 * interface for others.
 */
#pragma once

#include "waits.h"

struct look {
	struct waits *waits;
	const struct snapshot *snapshot;
	struct snapshot_thread *thread;
	struct wait *wait;
};

/* Adds a thread or process, by index, to those that could end the wait. */
void look_add(struct look *look, uint32_t index);

/* The process that the thread knows as its child of this pid, by index; SNAPSHOT_NONE: not found. */
uint32_t look_child(const struct look *look, uint32_t pid);

/* Moves a wait's list to the end, so that it can grow. */
void look_reopen(struct look *look);

/* The wait has a time limit, which runs out then; 0: unknown. */
void look_add_limit(struct look *look, uint64_t ends_ns);
/* The same for a wait for descriptors, whose call states the limit. */
void look_add_call_limit(struct look *look);

/* The wait ends by this thread; by any of this process; by any with access to the memory. */
void look_add_owner(struct look *look, uint32_t thread);
void look_add_process(struct look *look, uint32_t process);
void look_add_anybody(struct look *look, uint64_t address);

/* The callbacks that add wakers to the wait of `look`. */
struct wakers_eye look_eye(struct look *look);

static inline const struct mpsan_process *look_process(const struct look *look)
{
	return &look->snapshot->reader->session.table[look->thread->slot];
}

static inline uint64_t look_handlers(const struct look *look)
{
	return session_handlers(&look->snapshot->reader->session, look->thread->slot);
}

/* When an alarm of its process rings, once; 0: there is none, or it was due long ago, or nothing is recorded of it. */
uint64_t look_alarm_ns(const struct look *look);

/* The pthread_self() of a thread; 0: unknown. */
static inline uint64_t look_handle(const struct snapshot_thread *thread)
{
	return thread->record ? thread->record->pthread : 0;
}

/* Whether the awaited word is inside an object of that size. */
static inline bool look_lies_in(uint64_t word, uint64_t object, size_t bytes)
{
	return word >= object && word - object < bytes;
}

/* memory/waits_memory.c: whether it is an idle helper of the job, which acts only on request. */
bool look_serves(const struct look *look);

/*
 * memory/waits_memory.c: notes a thread of the CUDA driver, which looks for events, or for connections of other
 * processes. It is harmless unless it may run code of the program, which was passed to cuLaunchHostFunc or
 * cuStreamAddCallback: of that nothing is known from outside.
 */
void classify_driver(struct look *look);

/* waits_lock.c: the owner of a lock, from its memory. False: no owned mutex is there. */
bool classify_mutex(struct look *look, uint64_t address);
bool classify_own_mutex(struct look *look, uint64_t address);
void classify_rwlock(struct look *look, uint64_t address);
void classify_semaphore(struct look *look, uint64_t address, uint64_t tag);
void classify_guard(struct look *look, uint64_t address); /* of a static variable in C++ */

/*
 * waits_lock.c: notes the thread that has taken what none of its enders will release any more, if that is known: the
 * waiter itself, of a semaphore of the only thread of the only process concerned, or of a lock that none but its takers
 * ever released; or, of a lock of multiprocessing, the only one that took it. A main thread may park at a lock of its own
 * beside other threads, and what Condition.wait waits for that way is a signal.
 */
bool classify_taker(struct look *look);

/* Whether the program called the lock itself: what the standard library waits for that way may be a signal. */
bool look_calls_lock(const struct look *look);

/*
 * waits_lock.c: after all waits are known: of threads that wait in a circle, each for a lock of Python's which the next one took
 * by acquire(), each has what it took, as in a `with` block. No lock of it was ever released by a thread that had not taken it.
 */
void classify_circle(struct look *look);

/* waits_once.c: whether it waits in pthread_once or call_once; who runs the initialiser then ends it. */
bool classify_once(struct look *look);

/* openmp.c: whether it waits in libgomp for other threads of its team, which its process has. */
bool classify_openmp(struct look *look);

/* waits_try.c: the end of the thread whose descriptor has this word, in pthread_join. */
#define LOOK_PTHREAD_BYTES 4096u /* upper bound of glibc's thread descriptor */
void classify_join(struct look *look, uint64_t word);

/*
 * waits_python.c: whether Python knows which thread will release this semaphore; it then ends the
 * wait. `holder`: the only thread, which may be the waiter, that claims it.
 */
bool look_add_python(struct look *look, uint64_t lock, uint32_t holder);

/*
 * Python's view of a process, opened once for threads that are examined one after the other; NULL:
 * none.
 */
struct pyview *look_view(struct look *look, uint32_t pid);
/* Whether frames may tell something, and whether the thread has stood long enough to read them. */
static inline bool look_has_frames(const struct look *look)
{
	return look_process(look)->python && look_handle(look->thread);
}
bool look_may_ask(const struct look *look);
/* Whether a deadlock is about to be told. */
static inline bool look_is_verdict(const struct look *look)
{
	return look->waits->verdict_ns == look->snapshot->now_ns;
}
/* Of a thread that polls, and of a lock whose owner is unknown, frames are read again after this time. */
#define LOOK_AGAIN_NS 2000000000ull

/* waits_task.c: whether it waits for the result of a task, while a thread of its process polls. */
void classify_task(struct look *look);
/* waits_task.c: whether it runs an event loop with a fault. */
void classify_loop(struct look *look);

/* waits_semlock.c: as look_add_python, for one of multiprocessing's locks. */
bool look_add_semlock(struct look *look, uint64_t lock);
/* The only thread that took it, by the logs. A program may park at a lock of its own: it is none of its main thread. */
uint32_t look_semlock_taker(struct look *look);
/*
 * waits_semlock.c: whether the thread has the only permit that a shared semaphore was made with: nobody else was known to
 * post it, as there would be one more, or a claim of who took that.
 */
bool look_semlock_is_own(struct look *look);

/*
 * waits_python.c: whether it is a watchdog of Python itself. faulthandler.dump_traceback_later starts
 * one: a thread of the interpreter that runs no Python code, and waits with a time limit to be called off.
 * The main thread of a manager waits for its own end, with a time limit, too.
 */
bool look_add_watchdog(struct look *look, uint64_t lock);

/*
 * waits_python.c: the holder of the GIL ends the wait. Waiters for it wake up all the time; the holder
 * logs its wait when it blocks, or, from outside, the interpreter names it.
 */
void look_add_gil(struct look *look);

/* waits_python.c: whether this poll is multiprocessing's wait for the end of a child. */
bool look_add_child(struct look *look);

/* waits_signal.c: those of these signals that all threads of its process block: no handler runs for them. */
uint64_t look_blocked(const struct look *look, uint64_t signals);
/* waits_signal.c: those of these signals whose handler the thread runs, in Python: another one would only wait as well. */
uint64_t look_handled(struct look *look, uint64_t signals);
/*
 * waits_signal.c: whether a lock of libc belongs to the thread itself: it is in a handler, which calls the function that the
 * signal interrupted, and no other thread can have the lock. It then ends the wait.
 */
bool classify_interrupted(struct look *look);
/* waits_signal.c: the owner of a FILE ends the wait. False: that is no lock of one. */
bool classify_stream(struct look *look, uint64_t address);

/* waits.c: it waits for the end of this child, or of any. */
void classify_child(struct look *look, int64_t pid, bool one);

/* waits_try.c: whether it sleeps between attempts to get what a certain owner has; who that is. */
bool classify_tries(struct look *look);

/*
 * waits_failed.c: whether all the time a worker of its process that failed has not been asked after, nor
 * replaced: what the thread waits for is most likely what that one was to send. It polls for it, limit after
 * limit, or stands in one wait with a limit.
 */
enum look_failed { LOOK_FAILED_NO, LOOK_FAILED_POLLS, LOOK_FAILED_STANDS };
enum look_failed look_add_failed(struct look *look);

/* waits_fd.c: who could end a call that reads or writes a descriptor. */
void classify_descriptors(struct look *look);
/* Before a verdict: whether it has a time limit after all, or may have one. */
bool look_check_descriptors(struct look *look);
