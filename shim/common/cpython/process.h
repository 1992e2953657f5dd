/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the frames of a thread tell about processes, queues, joins and tasks of Python's own
 * libraries. Recognised by the names of functions and files, which have been the same since 3.4.
 * Every function reads memory in its current state; `frame` is a thread's innermost one.
 */
#pragma once

#include "frame.h"

/* The Process whose Popen is forking or spawning right now; 0: something else does. */
uint64_t cpython_starting(const struct cpython *py, uint64_t frame);

/* Whether multiprocessing is starting its fork server right now. */
bool cpython_starts_server(const struct cpython *py, uint64_t frame);

/* In a started child, its Process: self of BaseProcess._bootstrap; 0: not on this stack. */
uint64_t cpython_started(const struct cpython *py, uint64_t frame);

/*
 * Whether a queue's feeder is between two objects, or about to end. It then holds only locks of the
 * queue, which a child forked by multiprocessing replaces, or of threading, which any child
 * replaces.
 */
bool cpython_only_feeds(const struct cpython *py, uint64_t frame);

/* The descriptor of the pipe into which the thread, a queue's feeder, writes; -1: it is none, or unknown. */
int cpython_fed(const struct cpython *py, uint64_t frame);

/* Whether the feeder only prints an error, and drops the item: its queue has no hook of its own for errors. */
bool cpython_feeder_drops(const struct cpython *py, uint64_t frame);

/* Copies Process._name; returns its length, 0: none, or not readable. */
size_t cpython_process_name(const struct cpython *py, uint64_t process, char *text, size_t bytes);

/* The code object of a Python function; 0: it is none. */
uint64_t cpython_code_of(const struct cpython *py, uint64_t function);

/* The same of a bound method, functools.partial, property, staticmethod or classmethod, too. */
uint64_t cpython_code_called(const struct cpython *py, uint64_t callable);

/* Whether its target is the worker loop of PyTorch's DataLoader. */
bool cpython_loads_data(const struct cpython *py, uint64_t process);

/* Whether one of the innermost frames is of a function that the garbage collector calls back. */
bool cpython_collects(const struct cpython *py, const struct state *state);

/*
 * Whether the main module itself runs on this stack, for a child of spawn or forkserver, with no
 * import in between.
 */
bool cpython_runs_main(const struct cpython *py, uint64_t frame);

/*
 * Whether a function is anywhere on the stack, by the ends of its qualified name and of its file's
 * name.
 */
bool cpython_calls(const struct cpython *py, uint64_t frame, const char *function,
		   const char *file);

/* The state of the queue.Queue in whose get() a thread waits. */
enum cpython_queue {
	CPYTHON_QUEUE_NONE, /* it waits elsewhere, or this version's objects are not known */
	CPYTHON_QUEUE_NEW, /* nothing was ever put into it */
	CPYTHON_QUEUE_USED,
};
enum cpython_queue cpython_awaited_queue(const struct cpython *py, uint64_t frame);

/*
 * Whether the innermost frame works on a queue.SimpleQueue, whose get() is not Python code, with
 * this lock (0: any; from 3.13 on it has none).
 */
bool cpython_awaits_simple(const struct cpython *py, uint64_t frame, uint64_t lock);

/* The TID of the thread that threading.Thread.join waits for; 0: no join, or unknown. */
uint32_t cpython_joined(const struct cpython *py, uint64_t frame);

/*
 * At most `most` objects that match a wait in concurrent.futures with the task it waits for: the
 * objects in the frame of the wait; and the Future of the task that a thread of a
 * ThreadPoolExecutor runs, with those that wait for several futures including this one. Return how
 * many; 0: no such wait or task, or unknown.
 */
unsigned cpython_awaited(const struct cpython *py, uint64_t frame, uint64_t *object, unsigned most);
unsigned cpython_task(const struct cpython *py, uint64_t frame, uint64_t *object, unsigned most);

/*
 * A torch module or parameter among the arguments of a Process's target, or in a tuple, list or
 * dict there: the object, and the name of its type; 0: none, or this version's objects are not
 * known.
 */
uint64_t cpython_model(const struct cpython *py, uint64_t process, char *type, size_t bytes);

/*
 * Whether there is a multiprocessing.Queue that does not wait for its feeder: cancel_join_thread() was called, and
 * something was put into it.
 */
bool cpython_lets_go(const struct cpython *py, uint64_t process);
