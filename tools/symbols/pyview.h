/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Python frames of another process, read from its memory while it runs or waits: it is not stopped,
 * and no code runs in it. CPython 3.8 to 3.15, with the library's own readers
 * (../../shim/common/cpython/). The process may change, exec or die meanwhile: answers may then be
 * wrong or empty, which is harmless. Needs ptrace permission, which an ancestor has by default.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "../../shim/common/cpython/exception.h"
#include "../../shim/common/cpython/group.h"
#include "../../shim/common/cpython/process.h"
#include "../../shim/common/cpython/taker.h"
#include "pyspin.h"
#include "pytasks.h"

struct pyview;

/*
 * NULL: no CPython, ended, or unreadable. Files are parsed once and cached, so another process of
 * the same program only costs reading its mappings. The caller frees it.
 */
struct pyview *pyview_open(pid_t pid);

/* Forgets the files. */
void pyview_finish(void);

/* NULL, or why frames cannot be read: constant text. The functions below then find nothing. */
const char *pyview_limit(const struct pyview *view);

/* Py_Version: 0x030b02f0 is 3.11.2; only the minor version is right before 3.11. */
uint32_t pyview_version(const struct pyview *view);

/*
 * Frames of the thread with this pthread_self(), innermost first: "function\tfile\tline\n" for each
 * (see shim/python/python.h). Returns the text's length. 0 means any thread that has frames, for a
 * process with one thread.
 */
size_t pyview_stack(struct pyview *view, uint64_t pthread, char *text, size_t bytes);

/* The exception that it is handling, or that led to the end at which it is: see
 * cpython_raised. Returns the length, 0: none. */
void pyview_tells(enum cpython_tell tell); /* of exceptions, from now on */
size_t pyview_raised(struct pyview *view, uint64_t pthread, char *text, size_t bytes);
/* The number of the exception after which it cleans up; 0: it does not. See cpython_cleans_up. */
uint64_t pyview_cleans(struct pyview *view, uint64_t pthread);

/* Whether a running thread only tests, in a loop: see pyspin.h; 0: the only thread. */
struct pyspin pyview_spins(struct pyview *view, uint64_t pthread);

/*
 * State of the queue.Queue in whose get() the thread waits; see
 * ../../shim/common/cpython/process.h.
 */
enum cpython_queue pyview_awaited_queue(struct pyview *view, uint64_t pthread);

bool pyview_awaits_condition(struct pyview *view, uint64_t pthread);
/* What is wrong with its event loop: see pytasks.h. */
enum pytasks_fault pyview_loop_fault(struct pyview *view, uint64_t pthread);
bool pyview_loop_lacks(struct pyview *view, uint64_t pthread, bool by_variable);
/* The Condition of threading in whose wait() a thread is, and the lock that it was made with; false: none is known. */
bool pyview_awaited_monitor(struct pyview *view, uint64_t pthread, uint64_t *condition,
			    uint64_t *lock);

/*
 * Whether the condition for which a forked thread waits is in its parent's memory, too, with the same lock and list
 * of waiters: it was there at the fork.
 */
bool pyview_condition_is_of(struct pyview *child, uint64_t pthread, struct pyview *parent);

/* Whether it is in queue.SimpleQueue.get, with this lock. */
bool pyview_awaits_simple(struct pyview *view, uint64_t pthread, uint64_t lock);

/* TID of the thread that it joins in Thread.join; 0: unknown. */
uint32_t pyview_joined(struct pyview *view, uint64_t pthread);

/* PID of the process whose sentinel it waits for in Process.join: see pychild.h; 0: none. */
uint32_t pyview_joined_child(struct pyview *view, uint64_t pthread);

/* When the limit of a subprocess.Popen.wait runs out, in which it sleeps: see pychild.h; 0: none. */
uint64_t pyview_child_limit(struct pyview *view, uint64_t pthread);

/*
 * Who will release a lock: see pylock.h. `waiter` and `holder` are the pthread_self() of threads.
 */
uint32_t pyview_lock_joined(struct pyview *view, uint64_t waiter, uint64_t lock);
bool pyview_lock_ends_with(struct pyview *view, uint64_t thread, uint64_t lock);
bool pyview_lock_at_end(struct pyview *view, uint64_t waiter);
/* Of a file, too. */
uint64_t pyview_lock_owner(struct pyview *view, uint64_t waiter, uint64_t lock);
/* The number of the interpreter that the thread runs in; 0: the main one, or unknown. */
unsigned long long pyview_interpreter(struct pyview *view, uint64_t pthread);
/* The module for whose import the thread waits; see shim/common/cpython/lock.h. 0: for none. */
size_t pyview_awaited_import(struct pyview *view, uint64_t thread, char *text, size_t bytes);
/* The name of a lock that the thread waits for, or holds; see shim/common/cpython/name.h. "": unknown. */
size_t pyview_lock_name(struct pyview *view, uint64_t thread, uint64_t lock, bool holds, char *text,
			size_t bytes);
/*
 * The PyMutex that a thread which waits for this semaphore is parked for; 0: none, or one that a
 * notification releases.
 */
uint64_t pyview_parked(struct pyview *view, uint64_t waiter, uint64_t semaphore);
/* Where the holder took the lock; see pylock_taken. */
size_t pyview_lock_taken(struct pyview *view, uint64_t holder, uint64_t lock, char *text,
			 size_t bytes);
/*
 * How probably a thread took a lock without a `with` block: the thread that waits for it, or another one; see
 * ../../shim/common/cpython/taker.h.
 */
struct cpython_taker pyview_taker(struct pyview *view, uint64_t pthread, uint64_t lock, bool waits);
unsigned pyview_locks_in_with(struct pyview *view, uint64_t holder, uint64_t *lock, unsigned most);
bool pyview_lock_in_with(struct pyview *view, uint64_t holder, uint64_t lock);
bool pyview_pool_is_short(struct pyview *view, uint64_t waiter); /* see pypool.h */
bool pyview_pool_is_queued(struct pyview *view, uint64_t worker);
bool pyview_is_daemon(struct pyview *view, uint64_t main_thread); /* see pychild.h */
size_t pyview_process_name(struct pyview *view, uint64_t main_thread, char *text, size_t bytes);
bool pyview_pool_works_on(struct pyview *view, uint64_t worker);
uint64_t pyview_semaphore(struct pyview *view, uint64_t waiter);
bool pyview_had_permits(struct pyview *view, uint64_t semaphore);
bool pyview_in_with_of(struct pyview *view, uint64_t holder, uint64_t object);
bool pyview_lock_keeps_shared(struct pyview *view, uint64_t thread, uint64_t lock, uint32_t parent);
bool pyview_lock_enters_shared(struct pyview *view, uint64_t waiter, uint64_t lock);
bool pyview_names_release(struct pyview *view, uint64_t pthread); /* see pylock.h */
uint64_t pyview_shared_lock(struct pyview *view, uint64_t waiter, uint64_t lock);
bool pyview_shared_lock_is_free(struct pyview *view, uint64_t semlock, uint64_t lock);
bool pyview_lock_is_of_queue(struct pyview *view, uint64_t waiter);
bool pyview_queue_lacks(struct pyview *view, uint64_t reader);

/* Whether a thread that began later, and a worker that it started, has ended: see pyended.h. */
bool pyview_thread_ended(struct pyview *view, uint64_t pthread);
bool pyview_worker_ended(struct pyview *view, uint64_t pthread);

/* The Python function that handles a signal: see pyhandler.h. "": none, or unknown. */
size_t pyview_handler(struct pyview *view, int number, char *text, size_t bytes);
/* Those of these signals whose handlers a thread runs. */
uint64_t pyview_handles(struct pyview *view, uint64_t pthread, uint64_t signals);

/*
 * Objects that match a wait in concurrent.futures with its task; see
 * ../../shim/common/cpython/process.h.
 */
unsigned pyview_awaited(struct pyview *view, uint64_t pthread, uint64_t *object, unsigned most);
unsigned pyview_task(struct pyview *view, uint64_t pthread, uint64_t *object, unsigned most);

/* The name of a thread started by threading; "": unknown. */
size_t pyview_name(struct pyview *view, uint64_t pthread, char *text, size_t bytes);

/* Its outermost function: what a thread without a name was started with. */
size_t pyview_function(struct pyview *view, uint64_t pthread, char *text, size_t bytes);

/*
 * The rank in torch.distributed of the process that a thread belongs to, and those that its collective
 * needs: see ../../shim/common/cpython/group.h.
 */
struct cpython_rank pyview_rank(struct pyview *view, uint64_t pthread);
unsigned pyview_members(struct pyview *view, uint64_t pthread, uint32_t *rank, unsigned most);

/* Whether Python's threads can be listed, and none of them is this one. */
bool pyview_is_foreign(struct pyview *view, uint64_t pthread);

/* pthread_self() of the only thread known to Python; 0: several. */
uint64_t pyview_only_thread(struct pyview *view);

/*
 * The interpreter's own state, which has the main interpreter's GIL: nothing else there is waited for with a time limit.
 * Empty: unknown.
 */
struct pyview_range {
	uint64_t begin, end;
};
struct pyview_range pyview_runtime(struct pyview *view);

/* pthread_self() of the thread that holds the main interpreter's GIL; 0: none, or unknown. */
uint64_t pyview_gil_holder(struct pyview *view);

/*
 * How often the GIL with that condition has come to another thread than before, plus one, if this thread has it now; 0: it
 * does not, or that is unknown. While others wait for it, and the number stays the same, this thread has not let it go.
 */
uint64_t pyview_gil_switches(struct pyview *view, uint64_t pthread, uint64_t condition);
