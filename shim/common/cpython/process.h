/*
 * What frames of multiprocessing say of the process that is being started, or that this one is. Known
 * by the names of functions and files, which have been the same since 3.4. Every function looks at
 * memory as it is now; `frame` is a thread's innermost one.
 */
#ifndef MPSAN_CPYTHON_PROCESS_H
#define MPSAN_CPYTHON_PROCESS_H

#include "frame.h"

/* The Process whose Popen forks or spawns at this very moment; 0: something else does. */
uint64_t cpython_starting(const struct cpython *py, uint64_t frame);

/* The Process that a started child is: self of BaseProcess._bootstrap; 0: not on this stack. */
uint64_t cpython_started(const struct cpython *py, uint64_t frame);

/*
 * A queue's feeder is between two things, or is about to end: what it holds are locks of the queue, which a child
 * that multiprocessing forks makes anew, or of threading, which any child does.
 */
bool cpython_only_feeds(const struct cpython *py, uint64_t frame);

/* That function itself calls what is not Python: it prints why the child fails, or leaves. */
bool cpython_in_bootstrap(const struct cpython *py, uint64_t frame);

/* Process._name; returns its length, 0: it has none that can be read. */
size_t cpython_process_name(const struct cpython *py, uint64_t process, char *text, size_t bytes);

/* Its target is what PyTorch's DataLoader runs in its workers. */
bool cpython_loads_data(const struct cpython *py, uint64_t process);

/* The main module itself runs here, for a child of spawn or forkserver: no import is between. */
bool cpython_runs_main(const struct cpython *py, uint64_t frame);

/* A function by the end of its qualified name, and of its file's, anywhere on the stack. */
bool cpython_calls(const struct cpython *py, uint64_t frame, const char *function,
		   const char *file);

/* What is known of the queue.Queue in whose get() a thread waits. */
enum cpython_queue {
	CPYTHON_QUEUE_NONE, /* it waits elsewhere, or a version whose objects are not known */
	CPYTHON_QUEUE_NEW, /* nothing was ever put into it */
	CPYTHON_QUEUE_USED,
};
enum cpython_queue cpython_awaited_queue(const struct cpython *py, uint64_t frame);

/*
 * Among what the innermost frame has at hand is a queue.SimpleQueue, whose get() is no Python code: its lock is
 * this one (0: any; from 3.13 on it has none).
 */
bool cpython_awaits_simple(const struct cpython *py, uint64_t frame, uint64_t lock);

/* The thread that threading.Thread.join waits for, by its TID; 0: it is in no join, or not known. */
uint32_t cpython_joined(const struct cpython *py, uint64_t frame);

/*
 * Objects by which a wait in concurrent.futures and its task are matched, `most` of them: what the wait
 * has at hand; the Future of the task that a thread of a ThreadPoolExecutor runs, and what waits for
 * several futures with this one among them. Return how many; 0: no such wait or task, or not known.
 */
unsigned cpython_awaited(const struct cpython *py, uint64_t frame, uint64_t *object, unsigned most);
unsigned cpython_task(const struct cpython *py, uint64_t frame, uint64_t *object, unsigned most);

/*
 * A torch module or parameter among what a Process gives to its target, or in a tuple, list or dict
 * there: the object, with the name of its type; 0: none, or a version whose objects are not known.
 */
uint64_t cpython_model(const struct cpython *py, uint64_t process, char *type, size_t bytes);

#endif
