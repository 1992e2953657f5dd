/* SPDX-License-Identifier: Apache-2.0 */
/* Looks between the frame that waits for a lock and the one that holds it. */
#include "reentry.h"

#include <string.h>

#include "../base/jsontext.h"
#include "../rules/catalog.h"
#include "../rules/dead_ends.h"
#include "../rules/deadlock.h"
#include "text_waits.h"

#define FIX_HANDLER                                                                              \
	"take no lock in a signal handler: let it set a flag, or put into a queue.SimpleQueue, " \
	"and do the work outside of it"
#define FIX_HANDLER_C                                                                              \
	"take no lock in a signal handler: let it set a flag (volatile sig_atomic_t) or write to " \
	"a pipe, and do the work outside of it; or block the signal while the lock is held"
#define FIX_HANDLER_WAITS                                                                              \
	"a signal handler runs on top of the code that it interrupted, which goes on only when it "    \
	"returns: let it wait for nothing that this code is to do; set a flag, or {python|put into a " \
	"queue.SimpleQueue}{native|write to a pipe}, and wait outside of the handler"
#define FIX_HANDLER_LIBC                                                                      \
	"call nothing in a signal handler that takes a lock of libc, as malloc(), syslog(), " \
	"localtime() and stdio do (signal-safety(7) lists what may be called): set a flag "   \
	"(volatile sig_atomic_t) or write to a pipe, and do the work outside of it"
#define FIX_GREENLET                                                                                \
	"greenlets share one thread: hold no lock of that thread while another greenlet may run, "  \
	"and wait for nothing by calls that block the thread; use the locks, queues and events of " \
	"the greenlets' own library (gevent.lock, gevent.queue), and a thread pool for calls that " \
	"block"
#define FIX_DEL                                                                                     \
	"__del__ may run at any allocation, also while its own thread holds the lock: let it only " \
	"enqueue what there is to do (queue.SimpleQueue.put), or make the lock an RLock"
#define FIX_CALLBACK                                                                                  \
	"callbacks that the interpreter calls amid other code, such as those of weak references and " \
	"of the garbage collector, may run at any allocation: let them only enqueue what there is "   \
	"to do (queue.SimpleQueue.put), or make the lock an RLock"
#define FIX_LOGGING                                                                                 \
	"a logging handler runs in the thread that logs: log after the lock was released, or make " \
	"it an RLock, and log nothing inside of a handler"
#define FIX_AT_EXIT                                                                                   \
	"release the lock on every path before the program ends (`with lock:`, or try and finally); " \
	"functions registered with atexit run in the main thread, which may still hold it"
#define FIX_AWAIT                                                                               \
	"hold no lock of threading over an await, since the loop runs other coroutines in the " \
	"same thread then: use asyncio.Lock, or release it first; an RLock would let both in"
#define FIX_LEAK                                                                                       \
	"release the lock on every path, errors and early returns included: `with lock:`, or try and " \
	"finally; do not take it again in code that is called while it is held"
#define FIX_CALLS                                                                         \
	"release the lock first, split the function into a locked and an unlocked part, " \
	"or use a recursive lock where re-entry is safe"

static bool is_named(const json_t *frame, const char *const *name, size_t count)
{
	const char *function = jsontext_at(frame, "function");

	for (size_t i = 0; i < count; i++)
		if (!strcmp(function, name[i]))
			return true;
	return false;
}
#define IS_NAMED(frame, names) is_named(frame, names, sizeof(names) / sizeof(*(names)))

static bool is_same_function(const json_t *one, const json_t *other)
{
	return !strcmp(jsontext_at(one, "function"), jsontext_at(other, "function")) &&
	       !strcmp(jsontext_at(one, "file"), jsontext_at(other, "file"));
}

/* How many Python frames are further in than the one that took the lock; all of them if it is none. */
static size_t frames_between(const struct callsite *waiter, const struct callsite *taken)
{
	const json_t *holder = json_array_get(taken->python, 0);
	size_t count = json_array_size(waiter->python);

	for (size_t i = 1; holder && i < count; i++)
		if (is_same_function(json_array_get(waiter->python, i), holder))
			return i;
	return count;
}

static bool runs_destructor(json_t *python, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (text_ends(jsontext_at(json_array_get(python, i), "function"), "__del__"))
			return true;
	return false;
}

/* Of weakref.finalize and the weak containers. */
static bool runs_finalizer(json_t *python, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const char *file = jsontext_at(json_array_get(python, i), "file");

		if (text_ends(file, "/weakref.py") || text_ends(file, "/_weakrefset.py"))
			return true;
	}
	return false;
}

static bool logs(json_t *python, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (text_ends(jsontext_at(json_array_get(python, i), "file"),
			      "/logging/__init__.py"))
			return true;
	return false;
}

/* Whether an event loop called it: the frame that holds the lock is one of a suspended coroutine. */
static bool runs_in_loop(json_t *python)
{
	json_t *frame;

	JSON_EACH(frame, python)
		if (text_ends(jsontext_at(frame, "file"), "/asyncio/events.py"))
			return true;
	return false;
}

/* A special method, as __eq__, is called by C code, too, but for a call that stands in the program. */
static bool has_special(json_t *python, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const char *function = jsontext_at(json_array_get(python, i), "function");

		if (text_ends(function, "__") || text_ends(function, "<lambda>"))
			return true;
	}
	return false;
}

/* The next frame further out that evaluates Python code; the number of frames if there is none. */
static size_t next_evaluation(json_t *native, size_t i)
{
	static const char *const evaluates[] = {"_PyEval_EvalFrameDefault"};

	while (i < json_array_size(native) && !IS_NAMED(json_array_get(native, i), evaluates))
		i++;
	return i;
}

static bool is_by_itself(const json_t *frame)
{
	static const char *const name[] = {"handle_callback",	     "handle_weakrefs",
					   "PyObject_ClearWeakRefs", "invoke_gc_callback",
					   "invoke_gc_callbacks",    "_PyObject_GC_New",
					   "_PyObject_GC_NewVar"};

	return IS_NAMED(frame, name);
}

/* The garbage collector calls its callbacks in this way. */
static bool is_collecting(json_t *native, size_t i)
{
	static const char *const calls[] = {"PyObject_CallFunction"};

	return IS_NAMED(json_array_get(native, i), calls) &&
	       !*jsontext_at(json_array_get(native, i + 1), "function");
}

/*
 * Whether the interpreter called the innermost Python code by itself. Its functions for that stand between this
 * code and the next; of a stripped interpreter only calls of that kind by a function without a name. Where
 * not even what evaluates code has a name (3.14), they stand anywhere.
 */
static bool is_called_back(json_t *native, bool special)
{
	static const char *const one_argument[] = {"PyObject_CallOneArg",
						   "PyObject_CallFunctionObjArgs"};
	size_t all = json_array_size(native), begin = next_evaluation(native, 0),
	       end = next_evaluation(native, begin + 1);
	bool called = false, nameless = false, known = begin < all;

	for (size_t i = known ? begin + 1 : 0; i < end && (end < all || !known); i++) {
		const json_t *frame = json_array_get(native, i);

		if (is_by_itself(frame) || (known && is_collecting(native, i)))
			return true;
		nameless = called && !*jsontext_at(frame, "function");
		called = IS_NAMED(frame, one_argument) || nameless;
	}
	return known && nameless && !special;
}

/* The outermost Python frame: the program's own code, if that runs. */
static bool runs_program(json_t *python)
{
	static const char *const program[] = {"<module>", "_run_module_as_main"};

	return IS_NAMED(json_array_get(python, json_array_size(python) - 1), program);
}

/* Of a stripped interpreter: its main function calls Python code that is not the program. */
static bool is_at_end(json_t *native, json_t *python)
{
	static const char *const end[] = {"Py_FinalizeEx", "Py_Finalize",
					  "wait_for_thread_shutdown"};
	static const char *const main_function[] = {"Py_RunMain"};
	json_t *frame;

	JSON_EACH(frame, native)
		if (IS_NAMED(frame, end) || (IS_NAMED(frame, main_function) &&
					     json_array_size(python) && !runs_program(python)))
			return true;
	return false;
}

/* Whether a thread runs greenlets: their switches begin new stacks, whose outermost frames are the library's. */
static bool runs_greenlets(const struct callsite *waiter)
{
	const json_t *frame;

	JSON_EACH(frame, waiter->native)
		if (strstr(jsontext_at(frame, "module"), "/_greenlet."))
			return true;
	return false;
}

/* The deadlock that it is about; NULL: none. */
static const struct fact_deadlock *deadlock_of(const struct facts *facts,
					       const struct finding *finding)
{
	return finding->deadlock - 1 < facts->deadlock_count ?
		       &facts->deadlocks[finding->deadlock - 1] :
		       NULL;
}

static bool is_of_libc(const struct facts *facts, const struct finding *finding)
{
	const struct fact_deadlock *deadlock = deadlock_of(facts, finding);

	return deadlock && deadlock_subject(facts, deadlock)->ev.kind == MPSAN_LOCK_LIBC;
}

static const char *fix_of_lock(const struct facts *facts, const struct finding *finding,
			       const struct callsite *waiter, const struct callsite *taken,
			       const char *handler)
{
	size_t count = json_array_size(waiter->python), between = frames_between(waiter, taken);

	if (*handler && is_of_libc(facts, finding))
		return FIX_HANDLER_LIBC;
	if (*handler)
		return count ? FIX_HANDLER : FIX_HANDLER_C;
	if (runs_greenlets(waiter))
		return FIX_GREENLET;
	if (runs_destructor(waiter->python, between))
		return FIX_DEL;
	if ((finding->wait && facts->waits[finding->wait - 1].ev.flags & MPSAN_LF_COLLECTOR) ||
	    runs_finalizer(waiter->python, between) ||
	    is_called_back(waiter->native, has_special(waiter->python, between)))
		return FIX_CALLBACK;
	if (logs(waiter->python, between))
		return FIX_LOGGING;
	if (between == count && runs_in_loop(waiter->python))
		return FIX_AWAIT;
	if (between == count && is_at_end(waiter->native, waiter->python))
		return FIX_AT_EXIT;
	return count && !json_array_size(taken->python) ? FIX_LEAK : FIX_CALLS;
}

/* Whether it is no circle, and what it waits for leads to no other thread. */
static bool ends_at_waiter(const struct facts *facts, const struct finding *finding)
{
	const struct fact_deadlock *deadlock = deadlock_of(facts, finding);

	return deadlock && deadlock->ev.cause != MPSAN_DEADLOCK_CYCLE &&
	       dead_end_last(facts, deadlock) == deadlock_subject(facts, deadlock);
}

/*
 * Whether it is a wait in a handler, and what leads on from it comes to no thread that acts by itself, nor to the end of a
 * process: the interrupted code was to end it.
 */
static bool ends_at_interrupted(const struct facts *facts, const struct finding *finding)
{
	const struct fact_deadlock *deadlock = deadlock_of(facts, finding);

	if (!deadlock || (finding->rule != RULE_deadlock_cycle && finding->rule != RULE_hang &&
			  finding->rule != RULE_missing_sentinel))
		return false;
	return !deadlock->ev.dead_slot &&
	       dead_end_last(facts, deadlock)->ev.kind != MPSAN_WAIT_SYSCALL;
}

const char *reentry_fix(const struct facts *facts, const struct finding *finding,
			const struct callsite *waiter, const struct callsite *taken,
			const char *handler, const char *native)
{
	if (finding->rule == RULE_self_deadlock && !finding->fix)
		return fix_of_lock(facts, finding, waiter, taken, handler);
	if (*handler && (ends_at_waiter(facts, finding) || ends_at_interrupted(facts, finding)))
		return is_of_libc(facts, finding) ? FIX_HANDLER_LIBC : FIX_HANDLER_WAITS;
	if (finding->rule == RULE_deadlock_cycle && ends_at_waiter(facts, finding) &&
	    runs_greenlets(waiter) &&
	    !dead_end_in_hub(deadlock_subject(facts, deadlock_of(facts, finding))))
		return FIX_GREENLET;
	return native ?: finding->fix ?: rule_fix(finding->rule);
}
