/* Where the exception came from that a Python thread is handling. */
#ifndef MPSAN_CPYTHON_EXCEPTION_H
#define MPSAN_CPYTHON_EXCEPTION_H

#include "frame.h"

/*
 * The frames of its traceback, innermost first, as cpython_stack writes them; `state`: the thread's PyThreadState.
 * Returns the length, 0: none is being handled, or a version where that is not known.
 */
size_t cpython_traceback(const struct cpython *py, uint64_t state, char *text, size_t bytes);

#endif
