/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exceptions: the one that a thread is handling, in an `except`, a `finally` or an `__exit__`; the one that nobody
 * handled; what each says, where it was raised, and the one before it. An exception that is on its way to its handler
 * is not found: only the interpreter's own code runs meanwhile, or a destructor.
 */
#pragma once

#include "frame.h"

#define CPYTHON_TYPE_BYTES 128u /* of the name of a type */
#define CPYTHON_TEXT_BYTES 160u /* of what an exception says */

/* What may be told of exceptions: --exceptions. */
enum cpython_tell { CPYTHON_TELL_ALL, CPYTHON_TELL_TYPE, CPYTHON_TELL_NOTHING };

/* A PyBaseExceptionObject. */
struct cpython_exception {
	uint64_t object, type, args, traceback;
	uint64_t cause; /* of "raise ... from", another exception; 0: none */
	uint64_t context; /* being handled when this one was raised; 0: none, or "from None" */
};

/*
 * What sys.exception() says in a thread: the address of an exception; 0: it handles none. `state`: its
 * PyThreadState. Two peeks if it handles none and is in no generator.
 */
uint64_t cpython_handled(const struct cpython *py, uint64_t state);

/*
 * The same, by loads, for a hook of the thread itself, whose state was found to be in use: three loads if it handles
 * none. A hint: cpython_exception_read says whether it is one.
 */
static inline uint64_t cpython_handled_here(const struct cpython *py, const void *state)
{
	unsigned value = py->at.minor < 11 ? 8 : 0, previous = py->at.minor < 11 ? 24 : 8;
	const char *item;
	uint64_t exception;

	if (!py->at.state_exc_info)
		return 0;
	for (memcpy(&item, (const char *)state + py->at.state_exc_info, sizeof(item)); item;
	     memcpy(&item, item + previous, sizeof(item))) {
		memcpy(&exception, item + value, sizeof(exception));
		if (exception && exception != py->none)
			return exception;
	}
	return 0;
}

/*
 * The exception that reached the outermost frame of an interpreter's main thread and was printed: sys.last_exc, or
 * sys.last_value; 0: none. `interp`: its PyInterpreterState. Slow.
 */
uint64_t cpython_uncaught(const struct cpython *py, uint64_t interp);

/* Whether there is one; fills `exception`, with 0 otherwise. Three peeks. */
bool cpython_exception_read(const struct cpython *py, struct cpython_exception *exception,
			    uint64_t object);

/*
 * Whether that one ended the main module: this is the main thread, and none of the main module's code is on its stack, as the
 * interpreter is at its end. Fills `exception`.
 */
bool cpython_ended_main(const struct cpython *py, const struct state *state,
			struct cpython_exception *exception);
/* The same, whatever is on its stack. */
bool cpython_left_main(const struct cpython *py, const struct state *state,
		       struct cpython_exception *exception);

/*
 * Whether the process was forked by multiprocessing while it was handled: what handles it is of the parent. `top`: the thread's
 * innermost frame.
 */
bool cpython_exception_is_parents(const struct cpython *py,
				  const struct cpython_exception *exception, uint64_t top);

/* The exception that led to this one, by `raise ... from` or because it was being handled; false: none. */
bool cpython_exception_before(const struct cpython *py, struct cpython_exception *before,
			      const struct cpython_exception *exception);

/*
 * Its type as a traceback has it: "ValueError", "queue.Empty", "Broken" of the main module. Returns the length; 0: not
 * readable.
 */
size_t cpython_exception_type(const struct cpython *py, const struct cpython_exception *exception,
			      char *text, size_t bytes);

/*
 * The first line of what it says, if that is its only argument and a plain str, or an error of the system: "[Errno 2] No
 * such file or directory: 'x'". Returns the length; 0: it says nothing, or something else.
 */
size_t cpython_exception_text(const struct cpython *py, const struct cpython_exception *exception,
			      char *text, size_t bytes);

/*
 * The frames of its traceback, from where it was raised to where it is handled: at most the innermost 32, in the
 * format of cpython_stack. Returns the length.
 */
size_t cpython_exception_frames(const struct cpython *py, const struct cpython_exception *exception,
				char *text, size_t bytes);

/*
 * Writes the exception that a thread is handling, unless that is its parent's, or else the one that ended the main module, if
 * this is the main thread at the end of the interpreter. `at`: its PyThreadState, of which `state` is a copy. The first line is
 * "handles" or "ended", the type and the text, with tabs between; then come the frames of the traceback. The exception before
 * it follows likewise, behind an empty line, with "cause" or "context". Returns the length; 0: none, or there is too little
 * room.
 */
size_t cpython_raised(const struct cpython *py, uint64_t at, const struct state *state,
		      enum cpython_tell tell, char *text, size_t bytes);
/* The same of this exception, with that first word. */
size_t cpython_raised_text(const struct cpython *py, const struct cpython_exception *exception,
			   const char *how, enum cpython_tell tell, char *text, size_t bytes);

/*
 * A number of its type and of the place where it was raised; never 0. A peek for each frame between that place and its
 * handler.
 */
uint64_t cpython_exception_place(const struct cpython *py,
				 const struct cpython_exception *exception);

/*
 * Whether a thread cleans up after an error that it is handling, and will pass on: it is in a `finally`, the end of a `with`, or
 * an `except` that raises it again. `top`: its innermost frame, or that of a suspended coroutine which handles it; `interp`: its
 * PyInterpreterState. The number of cpython_exception_place; 0: it does not, as far as is known, or may have logged the error
 * through another thread. Slow.
 */
uint64_t cpython_cleans_up(const struct cpython *py, const struct cpython_exception *exception,
			   uint64_t top, uint64_t interp);

/* Who caught it: the outermost function of its traceback, see catchers.def. */
enum mpsan_exception_where cpython_exception_caught(const struct cpython *py,
						    const struct cpython_exception *exception);
