/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Python frames of a thread, read from inside the process as plain memory: no allocation, no lock,
 * no reference count, no Python code run, so they may be read in any hook and without the GIL.
 * CPython 3.8 to 3.15. Every pointer that Python may change is read with sys_peek, so
 * that a wrong answer is possible in theory, but not a crash.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../include/mpsan_event.h"
#include "../../include/mpsan_log.h"
#include "../common/cpython/exception.h"
#include "../common/cpython/lock.h"

struct link_map;

/*
 * Looks whether a loaded object is CPython. Call it once for each, while no other thread does; the object
 * may be unloaded meanwhile. Once CPython was found a call costs one atomic load.
 */
void python_look(const struct link_map *object);
/* Looks at all loaded objects, as long as CPython was not found. */
void python_search(void);

/*
 * Whether a CPython of any version is loaded and initialised. Costs one atomic load while there is
 * none.
 */
bool python_present(void);

/* Py_Version: 0x030b02f0 is 3.11.2; 0: none. Before 3.11 it is assumed to be a final release. */
uint32_t python_version(void);

/* NULL, or why frames cannot be read (constant text); the functions below then find nothing. */
const char *python_limit(void);

/*
 * Whether the calling thread holds the GIL. False if in doubt: in a sub-interpreter of 3.8 to 3.11.
 */
bool python_holds_gil(void);
/* The same of the GIL for which python_is_gil is true: an isolated interpreter, from 3.12 on, has its own. */
bool python_holds_main_gil(void);

/*
 * Before and after a look that has to do with frames that stand still, those of the calling thread, or of all while
 * it holds the GIL: what they have in common, such as their code and its names, is read once. False: such a look is in
 * progress, or nothing is kept. `drop` in a forked child: another thread's look may have been in progress.
 */
bool python_blocks_begin(void);
void python_blocks_end(void);
void python_blocks_drop(void);

/*
 * Writes the frames of a thread, innermost first, at most 64, each as "function\tfile\tline\n" in
 * UTF-8 (the qualified name from 3.11 on; control characters become '?'; line 0: the code has
 * none). Only whole lines, NUL-terminated; returns the length. `pthread` is the thread's
 * pthread_self(). 0, or the caller's own, works without the GIL; another thread is found only while
 * the caller holds the GIL, in the caller's interpreter. `room` is working memory
 * (cpython/frame.h).
 */
struct walk;
size_t python_stack(uint64_t pthread, struct walk *room, char *text, size_t bytes)
	__attribute__((nonnull));

/*
 * A hash of a thread's frames (code and instruction of each): while it stays the same, so does
 * python_stack. Costs a few peeks; 0: no frames. Same requirements as python_stack.
 */
uint64_t python_hash(uint64_t pthread);

/*
 * Calls `see` for the locks of threading that a thread is inside of by `with`; see
 * common/cpython/lock.h. Another thread than the caller (0) is looked at only while the caller holds
 * the GIL; `state` as for python_has_thread. `free`: 0 at first, kept by the caller; while the
 * thread's frames stay the same, it is not looked at again if it held none. Costs a few peeks then,
 * and about three for each frame otherwise. Returns where the thread stands.
 */
struct python_place {
	uint64_t top; /* its innermost frame; 0: none, or unknown */
	uint64_t hash; /* of all frames, as python_hash */
};
struct python_place python_held(uint64_t pthread, uint64_t *state, uint64_t *free,
				cpython_held_seen *see, void *context)
	__attribute__((nonnull(2, 3, 4)));

/*
 * The line of the acquire() by which a thread, or the calling one (0), took the Lock or RLock that it has; in the format
 * of python_stack, or where it entered what releases it. `state` as in python_held. Slow. `object`: that lock, if another
 * thread has it at hand; else 0.
 */
size_t python_called(uint64_t pthread, uint64_t *state, uint64_t lock, char *text, size_t bytes,
		     uint64_t *object) __attribute__((nonnull(2, 4, 6)));

/* What a Lock or RLock is now; all 0: unknown. Needs no GIL. One peek. */
struct cpython_lock_object python_lock_object(uint64_t object);

/* Whether a lock is that of a thread's end; see common/cpython/lock.h. `state` as in python_held. */
bool python_ends_with(uint64_t pthread, uint64_t *state, uint64_t lock) __attribute__((nonnull));

/*
 * The name of a lock of threading for which the calling thread waits, by its PyMutex or semaphore;
 * see common/cpython/name.h. Needs no GIL. Slow.
 */
size_t python_lock_name(const void *lock, char *text, size_t bytes) __attribute__((nonnull(2)));
/* The same of one that another thread has in a `with` block, or that is this `object`; `state` as in python_held. */
size_t python_held_lock_name(uint64_t pthread, uint64_t *state, uint64_t lock, uint64_t object,
			     char *text, size_t bytes) __attribute__((nonnull));

/*
 * Where the interpreter keeps the C function behind a method of _thread's Lock or RLock, and the type's
 * destructor (`method` NULL); 0: not found. Needs the GIL. Slow.
 */
uint64_t python_lock_method(bool recursive, const char *method);
/* Where the PyMutex is in such an object. */
unsigned python_lock_offset(void);
/* True, as an object. */
uint64_t python_true(void);

/* Whether some locks are not seen by libc: from 3.13.1 on. */
bool python_has_mutexes(void);
/* Whether RLocks are among them: from 3.14 on. */
bool python_has_mutex_rlocks(void);

/*
 * The PyMutex for which the calling thread, which waits for a semaphore, is parked; 0: it waits for
 * something else. Needs no GIL. A few peeks.
 */
uint64_t python_parked(const void *semaphore);

/* Whether the calling thread has a PyThreadState but runs no Python code. A few peeks. */
bool python_is_idle(void);

/*
 * Whether a thread is in the interpreter: not at its very start, nor at its very end, for which
 * Thread.join does not wait up to 3.12. True if in doubt. Needs the GIL. `state`: 0 at first, kept
 * by the caller. Costs a few peeks, and one per thread if it is not found there.
 */
bool python_has_thread(uint64_t pthread, uint64_t *state) __attribute__((nonnull));

/* The name of a thread that threading started; "": unknown. Same requirements as python_stack. */
size_t python_thread_name(uint64_t pthread, char *text, size_t bytes) __attribute__((nonnull));

/*
 * A thread's outermost function: the target of a thread without a name. Same requirements as
 * python_stack.
 */
size_t python_thread_function(uint64_t pthread, char *text, size_t bytes) __attribute__((nonnull));

/*
 * The thread's role, from its outermost frames. UNKNOWN: no frames, or it has not reached its
 * target yet: ask again later. Same requirements as python_stack.
 */
enum mpsan_thread_role python_role(uint64_t pthread);
/*
 * Whether the thread is a queue's feeder and holds no locks but those that a child replaces; see
 * cpython/process.h.
 */
bool python_only_feeds(uint64_t pthread);

/*
 * Whether a condition variable is the GIL's: one that lies in _PyRuntime (the own GIL of a
 * sub-interpreter from 3.12 on does not). Two compares; always safe.
 */
bool python_is_gil(const void *condition);

/* A module's name as 47 bits: the address of its MPSAN_LOCK_IMPORT claims. FNV-1a, never 0. */
uint64_t python_module_hash(const char *name) __attribute__((nonnull));

/* Whether any thread of the caller's interpreter may be loading a module. */
bool python_somebody_imports(void);

/*
 * Calls `see` for each module that a thread is loading, its import lock held, innermost first, at
 * most 8; names are truncated to 255 bytes. Returns how many. Same requirements as python_stack.
 * Two peeks while no thread of the caller's interpreter imports; otherwise walks all frames of the
 * thread.
 */
unsigned python_imports(uint64_t pthread,
			void (*see)(uint64_t hash, const char *name, void *context), void *context)
	__attribute__((nonnull(2)));

/*
 * Whether the calling thread waits, or is about to wait, for another thread's import: the hash of
 * that module's name, which is written to `name`. 0: its innermost frame is not importlib's wait.
 * Needs no GIL. A few peeks.
 */
uint64_t python_awaited_import(char *name, size_t bytes) __attribute__((nonnull));

/*
 * Whether the calling thread is in threading.Event.wait, called by the program itself: it may wait
 * on purpose until it is ended.
 */
bool python_waits_for_event(void);

/* Whether it waits in threading.Condition.wait, for a lock that a notification releases. */
bool python_awaits_news(void);

/* The semaphore or PyMutex around what the calling thread waits for; see cpython/lock.h. */
const void *python_awaited_lock(void);

/*
 * Before a fork: remembers the conditions, queues and locked Locks that the calling thread has at hand, if locks are
 * PyMutexes. In the child: whether the calling thread waits for one of the first two; false: the
 * child may have made it itself; and whether this one was locked. The first costs up to 0.2 ms, and as much again if it
 * looks one step `farther`; the second is slow and needs no GIL.
 */
void python_remember(bool farther);
bool python_awaits_inherited(void);
bool python_was_locked(uint64_t mutex);

/*
 * Whether the calling thread is in queue.SimpleQueue.get, whose lock this is; see
 * cpython/process.h.
 */
bool python_waits_for_simple(const void *lock);

/*
 * Whether the calling thread is inside subprocess.Popen._execute_child (among its 8 innermost
 * frames) with a preexec_fn that is not None: at its fork, and in the child while preexec_fn runs.
 * Needs no GIL.
 */
bool python_is_preexec(void);

/*
 * Records the calling thread's innermost Python frame and its current instruction. A forked child
 * uses it to see whether Python code runs on top of that call, as callbacks of os.register_at_fork
 * do and the code after fork() does not. False: there is no frame. Needs no GIL.
 */
struct python_mark {
	uint64_t frame, instr;
};
bool python_mark(struct python_mark *mark) __attribute__((nonnull));
bool python_above_mark(const struct python_mark *mark) __attribute__((nonnull));
/* Also whether that call itself is the innermost one. One peek. */
bool python_in_mark(const struct python_mark *mark) __attribute__((nonnull));

/*
 * What multiprocessing does in the calling thread; see cpython/process.h. None needs the GIL. The
 * first costs a few peeks, those that search all frames about one per frame.
 */
uint64_t python_starting(void);
bool python_starts_server(void);
uint64_t python_started(void);
bool python_loads_data(uint64_t process);
size_t python_process_name(uint64_t process, char *text, size_t bytes) __attribute__((nonnull));
bool python_runs_main(void);
bool python_collects(void);
bool python_calls(const char *function, const char *file) __attribute__((nonnull));
/* Whether the calling thread's or the main thread's code asks how processes end; see cpython/status.h. Needs no GIL. */
enum mpsan_exit_check python_checks_exit(bool waits);
/* The exception that the calling thread is handling; false: none. Needs no GIL. See common/cpython/exception.h. */
bool python_handled(struct cpython_exception *exception) __attribute__((nonnull));
/*
 * All of it as text, or of the one that ended the main module: see cpython_raised. Returns the length; 0: none. What may be
 * told is set at the start.
 */
size_t python_raised(char *text, size_t bytes) __attribute__((nonnull));
void python_tells(enum cpython_tell tell);
enum cpython_tell python_told(void);
/* The same of the exception that ended the main thread's code, and was printed. Slow. */
bool python_uncaught(struct cpython_exception *exception) __attribute__((nonnull));
/*
 * Whether hooks ask python_handles(): whether the calling thread handles an exception, by a few loads. python_handler()
 * identifies the exception's type and where it is handled, 0: none. python_outermost() identifies the code of the
 * outermost frame; 1: there is no frame; 0: unknown. All as long as the interpreter works, of its own frames. The state of
 * a thread, what it handles and its frames are freed by none but that thread.
 */
extern bool python_catches __attribute__((visibility("hidden")));
void python_watch_handlers(bool on); /* at the start */
bool python_handles(void);
uint64_t python_handler(void);
uint64_t python_outermost(void);
/* Whether the calling thread is a feeder that drops an item; the descriptor into which it was to write it, -1: unknown. */
bool python_drops(int *fd) __attribute__((nonnull));
/* To read what belongs to the calling thread. */
const struct cpython *python_self(void);

/* The rank + 1 with which this thread calls init_process_group; 0: it does not, or it is not known there yet. */
uint32_t python_rank(void);

/*
 * The value of a name in a module, 0: none; and the number of entries of a dictionary, -1: it no
 * longer is one. Slow.
 */
uint64_t python_global(const char *module, const char *name) __attribute__((nonnull));
int64_t python_dict_used(uint64_t dict, uint64_t type);

/*
 * A C function of a module, or of the module that has the name before a dot there, as an object. Its type has a place in each object for the function by which that one is
 * called (PEP 590), which nothing shows: another function there changes neither the object's hash nor its
 * documentation nor what it is equal to. `python_callable` needs the GIL and is slow. `python_divert`, where the object
 * still is as it was found, puts another function there; false: it does not, or memory may not be written. The number
 * of modules tells whether to look again.
 */
struct python_callable {
	uint64_t object, type, method, entry, function;
};
uint64_t python_modules(void);
bool python_callable(const char *module, const char *name, struct python_callable *found)
	__attribute__((nonnull));
bool python_divert(const struct python_callable *callable, const void *to) __attribute__((nonnull));
/*
 * Whether the calling thread's innermost Python function is that one, called by `caller` unless that is "", both of
 * a file whose name ends so. A few peeks.
 */
bool python_called_by(const char *function, const char *caller, const char *file)
	__attribute__((nonnull));
uint64_t python_type(uint64_t object);
uint64_t python_model(uint64_t process, char *type, size_t bytes) __attribute__((nonnull));

/*
 * At the end of a process that multiprocessing forked: whether it has called cancel_join_thread() of a queue among its
 * arguments, and so let go of what it had put into it. Slow.
 */
bool python_lets_go(void);
