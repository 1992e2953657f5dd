/* SPDX-License-Identifier: Apache-2.0 */
/* The Python functions that handle signals in another process. Neighbour: pyview.h. */
#pragma once

#include "../../shim/common/cpython/cpython.h"

/*
 * "stop (serve.py:12)": the function that signal.signal() set for a signal, and where it begins.
 * Returns the length; 0: none, or not found.
 */
size_t pyhandler_text(const struct cpython *py, int number, char *text, size_t bytes);

/* Those of these signals (bit N-1 for signal N) whose handlers are among the frames from `top` on. */
uint64_t pyhandler_running(const struct cpython *py, uint64_t top, uint64_t signals);
