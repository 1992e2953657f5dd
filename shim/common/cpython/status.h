/* SPDX-License-Identifier: Apache-2.0 */
/* Whether Python code asks how the processes that it has started end. */
#pragma once

#include "../../../include/mpsan_event.h"
#include "frame.h"

/*
 * What the frames of the thread with this PyThreadState say of that; 0: they do not ask. They ask if the code of their
 * modules has a name that exit statuses go by. `waits`: the innermost one has called a function that returns
 * a status; if it keeps the result, it asks. Slow: milliseconds.
 */
enum mpsan_exit_check cpython_checks_exit(const struct cpython *py, uint64_t state, bool waits);
