/*
 * Python frames of another process, read as plain memory while it runs or waits: nothing is
 * stopped, and no code runs there. CPython 3.8 to 3.14, by the library's own readers
 * (../shim/cpython/). The process may change, exec or die at any moment: answers may then be wrong
 * or empty, and that is all. Needs the right to trace the process, which an ancestor has by default.
 */
#ifndef MPSAN_PYVIEW_H
#define MPSAN_PYVIEW_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "../../shim/common/cpython/process.h"

struct pyview;

/*
 * NULL: it runs no CPython, or it is gone, or /proc does not tell. Files are parsed once and
 * remembered, so another process of the same program costs the reading of its list of mappings.
 */
struct pyview *pyview_open(pid_t pid);
void pyview_close(struct pyview *view);

/* Forgets the files. */
void pyview_finish(void);

/* NULL, or why frames cannot be read: constant text. The functions below then find nothing. */
const char *pyview_limit(const struct pyview *view);

/* Py_Version: 0x030b02f0 is 3.11.2; only the minor version is right before 3.11. */
uint32_t pyview_version(const struct pyview *view);

/*
 * Frames of the thread whose pthread_self() is given, innermost first: text as python_stack writes
 * it (shim/python/python.h), that is "function\tfile\tline\n" for each. Returns its length. 0 stands
 * for any thread that has frames: the one of a process that has no other.
 */
size_t pyview_stack(struct pyview *view, uint64_t pthread, char *text, size_t bytes);

/* What is known of the queue.Queue in whose get() the thread waits; see ../shim/cpython/process.h. */
enum cpython_queue pyview_awaited_queue(struct pyview *view, uint64_t pthread);

/* It is in queue.SimpleQueue.get, whose lock this is; the same. */
bool pyview_awaits_simple(struct pyview *view, uint64_t pthread, uint64_t lock);

/* TID of the thread that it waits for in Thread.join, 0: not known. */
uint32_t pyview_joined(struct pyview *view, uint64_t pthread);

/* Objects by which a wait in concurrent.futures and its task are matched; see ../shim/cpython/process.h. */
unsigned pyview_awaited(struct pyview *view, uint64_t pthread, uint64_t *object, unsigned most);
unsigned pyview_task(struct pyview *view, uint64_t pthread, uint64_t *object, unsigned most);

/* The name of a thread that threading started; "": not known. */
size_t pyview_name(struct pyview *view, uint64_t pthread, char *text, size_t bytes);

/* Its outermost function: what a thread without such a name was started with. */
size_t pyview_function(struct pyview *view, uint64_t pthread, char *text, size_t bytes);

/* pthread_self() of the only thread that Python knows; 0: there are several. */
uint64_t pyview_only_thread(struct pyview *view);

/* pthread_self() of the thread that holds the (main interpreter's) GIL; 0: nobody, or not known. */
uint64_t pyview_gil_holder(struct pyview *view);

#endif
