/* SPDX-License-Identifier: Apache-2.0 */
/* For which process another process's Python thread waits in multiprocessing. Neighbour: pyview.h. */
#pragma once

#include "../../shim/common/cpython/frame.h"

/*
 * The PID of the multiprocessing.Process for whose sentinel the thread waits in join(), which it
 * does if it has a time limit, and with a fork server. `top`: its innermost frame. 0: it does
 * something else.
 */
uint32_t pychild_joined(const struct cpython *py, uint64_t top);

/*
 * When the limit of subprocess.Popen.wait runs out, in which the thread sleeps between two looks at the
 * child: CLOCK_MONOTONIC, ns. 0: it does something else.
 */
uint64_t pychild_limit(const struct cpython *py, uint64_t top);

/* Copies the name of the process of multiprocessing whose main thread it is; returns its length, 0: it is none. */
size_t pychild_name(const struct cpython *py, uint64_t top, char *text, size_t bytes);

/* Whether it is the main thread of a process of multiprocessing that was started as a daemon: its parent ends it at its own end. */
bool pychild_is_daemon(const struct cpython *py, uint64_t top);
