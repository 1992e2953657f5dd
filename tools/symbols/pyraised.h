/* SPDX-License-Identifier: Apache-2.0 */
/* The exception because of which a Python thread of another process is where it is. Neighbours: pyview.h; raised.h has it in words. */
#ifndef MPSAN_PYRAISED_H
#define MPSAN_PYRAISED_H

#include "../../shim/common/cpython/exception.h"

/*
 * Writes the exception that a thread is handling, or else the one that ended the main module, if this is the main thread at the
 * end of the interpreter. `at`: its PyThreadState, of which `state` is a copy. The first line is "handles" or "ended", the type
 * and the text, with tabs between; then come the frames of the traceback, in the format of python_stack. The exception before
 * it follows likewise, behind an empty line, with "cause" or "context". Returns the length; 0: none.
 */
size_t pyraised_text(const struct cpython *py, uint64_t at, const struct state *state, char *text,
		     size_t bytes);

#endif
