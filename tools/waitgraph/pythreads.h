/* Python's side of the threads of a snapshot. Neighbours: pyview.h reads, deadlocks.h and dead_owners.h ask. */
#ifndef MPSAN_PYTHREADS_H
#define MPSAN_PYTHREADS_H

#include "../symbols/pyview.h"
#include "cross_process.h"
#include "snapshot.h"

/* The frames of a thread (text as pyview_stack writes it), "" when there are none; owned by the caller. */
char *pythread_stack(const struct snapshot_thread *thread);

/*
 * Its name as threading knows it, else as the kernel does, else of the Python function that it was
 * started with; owned by the caller, "" for none.
 */
char *pythread_name(const struct snapshot_thread *thread);

/* Whether code of a process is the interpreter's own. */
bool pythread_is_code(uint32_t pid, uint64_t code);

/* Whether it waits in threading.Event.wait, called by the program itself. */
bool pythread_waits_for_event(const struct snapshot_thread *thread);

#define PYTHREAD_OBJECTS 32u

/*
 * What Python's frames say of a wait: whether it is meant to be answered (a task done, a lock), by peers, for
 * results (`awaited` and `task`: see cpython_awaited; `task` is what it runs itself, whatever it waits for), for
 * the end of a thread (`joined`: its TID, 0: not known), or for something to come.
 */
struct pythread_wait {
	enum {
		PYTHREAD_UNKNOWN,
		PYTHREAD_ANSWER,
		PYTHREAD_PEERS,
		PYTHREAD_RESULT,
		PYTHREAD_JOIN,
		PYTHREAD_NEWS,
		PYTHREAD_LOCK, /* taken by what else is on the stack, if anything is */
		/* threading.Event.wait, called by the program's main thread itself */
		PYTHREAD_EVENT
	} what;
	bool is_python; /* it runs Python's code, whether that could be read or not */
	enum cpython_queue queue;
	uint32_t joined;
	unsigned awaited_count, task_count;
	uint64_t awaited[PYTHREAD_OBJECTS], task[PYTHREAD_OBJECTS];
};
struct pythread_wait pythread_wait(const struct snapshot_thread *thread, uint64_t lock);

/* Whether the one waits for the result of the task that the other runs, both of the same process. */
bool pythread_awaits(const struct pythread_wait *wait, const struct pythread_wait *of);

/* What it does in a pool of multiprocessing. */
enum cross_process_part pythread_part(const struct snapshot_thread *thread);

#endif
