/* SPDX-License-Identifier: Apache-2.0 */
/* The traceback of the exception that a Python thread is handling. */
#ifndef MPSAN_CPYTHON_EXCEPTION_H
#define MPSAN_CPYTHON_EXCEPTION_H

#include "frame.h"

/*
 * Writes the frames of the traceback, innermost first, in the format of cpython_stack. `state`: the
 * thread's PyThreadState. Returns the length; 0: no exception is being handled, or the version is
 * not supported.
 */
size_t cpython_traceback(const struct cpython *py, uint64_t state, char *text, size_t bytes);

#endif
