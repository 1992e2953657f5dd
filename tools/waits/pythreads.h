/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Python's view of a snapshot's threads. Neighbours: pyview.h reads it, deadlocks.h and
 * dead_owners.h use it.
 */
#pragma once

#include "../facts/awaited.h"
#include "../symbols/pyview.h"
#include "cross_process.h"
#include "snapshot.h"

/* The frames of a thread, as text of pyview_stack, "" if there are none; the caller frees it. */
char *pythread_stack(const struct snapshot_thread *thread);

/* The exception that it is handling, as text of pyview_raised; "" if there is none. The caller frees it. */
char *pythread_raised(const struct snapshot_thread *thread);
/* The number of the exception after which it cleans up; 0: none. See pyview_cleans. */
uint64_t pythread_cleans(const struct snapshot_thread *thread);

/* As pyview_spins. */
struct pyspin pythread_spins(const struct snapshot_thread *thread);
/* As pyview_gil_switches. */
uint64_t pythread_gil_switches(const struct snapshot_thread *thread, uint64_t condition);

/* Whether the frames of a thread were read down to its first, or it is no thread of Python. */
bool pythread_is_legible(const struct snapshot_thread *thread);

/* Whether one of them is this function: see pyframe_is. */
bool pythread_runs(const struct snapshot_thread *thread, const char *function, const char *file);

/*
 * Its name in threading, else the kernel's, else its Python start function; "" for none. The caller
 * frees it.
 */
char *pythread_name(const struct snapshot_thread *thread);

/* The name of a lock that it waits for, or holds, see shim/common/cpython/name.h; "" for none. The caller frees it. */
char *pythread_lock_name(const struct snapshot_thread *thread, uint64_t lock, bool holds);

/* The module whose import by another thread it waits for, "" for none. The caller frees it. */
char *pythread_awaited_import(const struct snapshot_thread *thread);

/* Where it took a lock of Python's: a frame in the format of python_stack, "" if unknown. The caller frees it. */
char *pythread_taken(const struct snapshot_thread *thread, uint64_t lock);

/*
 * The thread of the same process that probably took the PyMutex for which a thread is parked, by
 * acquire(): an index; SNAPSHOT_NONE: none, or no frame says so.
 */
uint32_t pythread_taker(const struct snapshot *snapshot, const struct snapshot_thread *waiter);

/* The Python function that handles a signal in a process; "" for none. The caller frees it. */
char *pythread_handler(uint32_t pid, int number);

/* Those of these signals whose handlers are among the Python functions that a thread runs. */
uint64_t pythread_handles(const struct snapshot_thread *thread, uint64_t signals);

/* Whether code of a process belongs to the interpreter. */
bool pythread_is_code(uint32_t pid, uint64_t code);

/* Whether it waits to enter a `with` block of this lock of multiprocessing. */
bool pythread_enters_shared(const struct snapshot_thread *thread, uint64_t lock);
bool pythread_names_release(const struct snapshot_thread *thread);

/* Whether it runs an event loop whose coroutines pyview_stack shows. */
bool pythread_has_tasks(const struct snapshot_thread *thread);

/* What is wrong with its event loop: see ../symbols/pytasks.h. */
enum pytasks_fault pythread_loop_fault(const struct snapshot_thread *thread);

/* Whether the tasks or greenlets of its loop are known to wait for something that others of them were to send: no event. */
bool pythread_loop_consumes(const struct snapshot_thread *thread);

/* Whether somebody was to wake its event loop who did not: see ../symbols/pytasks.h. */
bool pythread_loop_lacks(const struct snapshot_thread *thread);

/* Whether it is a main thread that runs a test of pytest or unittest. */
bool pythread_in_test(const struct snapshot_thread *thread);

/* Whether it waits in concurrent.futures.Future.result: nobody does so to let time pass. */
bool pythread_wants_result(const struct snapshot_thread *thread);

/* Whether it runs nothing but threading.py, as a threading.Timer does until its time has come. */
bool pythread_is_timer(const struct snapshot_thread *thread);

/* Whether it waits in threading.Event.wait, also of what a library has such an event for. */
bool pythread_waits_for_event(const struct snapshot_thread *thread);

/* Whether it waits in multiprocessing.Condition.wait, which the program called, or wait_for, not Event.wait. */
bool pythread_awaits_shared_notify(const struct snapshot_thread *thread);

#define PYTHREAD_OBJECTS 32u

/*
 * What Python says about a wait: its frames, results (`awaited` and `task`: see cpython_awaited; `task` is what the
 * thread runs itself), and the thread whose end it waits for (`joined`: its TID, 0: unknown).
 */
struct pythread_wait {
	struct awaited_frames frames;
	bool is_python; /* it runs Python code, readable or not */
	/* the main thread, in a handler that runs at the program's end: such a wait is never meant to idle */
	bool at_end;
	bool in_loop; /* of asyncio */
	bool of_manager; /* for the answer of a manager, which says nothing of what was sent before */
	bool in_test; /* the main thread, in a test of pytest or unittest: such a wait is never meant to idle */
	bool pool_is_short; /* it waits for the end of a pool, or in a task of one, in which some tasks cannot begin */
	enum cpython_queue queue;
	uint32_t joined;
	/* the Condition for which it waits, the lock of that one, and where the program does so; 0: unknown */
	uint64_t condition, monitor, place;
	uint64_t semaphore; /* the threading.Semaphore of which it wants a permit; 0: none */
	bool had_permits; /* created with permits: it guards something, and is no signal */
	unsigned awaited_count, task_count;
	uint64_t awaited[PYTHREAD_OBJECTS], task[PYTHREAD_OBJECTS];
};
struct pythread_wait pythread_wait(const struct snapshot_thread *thread, uint64_t lock);

/* Whether a thread is in a `with` block of this object. */
bool pythread_is_inside(const struct snapshot_thread *thread, uint64_t object);

/* Whether one thread waits for the result of the task that the other runs, in the same process. */
bool pythread_awaits(const struct pythread_wait *wait, const struct pythread_wait *of);

/*
 * Whether it is the main thread of a worker of multiprocessing.Pool, forked in place of one that has ended
 * although it had no limit of tasks.
 */
bool pythread_replaces_worker(const struct snapshot_thread *thread);

/* Whether it runs a task of an executor that has tasks which no worker has begun: see ../symbols/pypool.h. */
bool pythread_is_queued_for(const struct snapshot_thread *thread);
/* Whether it waits for an item of a multiprocessing.Queue that was put, and has not come. */
bool pythread_lacks_item(const struct snapshot_thread *thread);

/* Its role in a multiprocessing pool. */
enum cross_process_part pythread_part(const struct snapshot_thread *thread);
