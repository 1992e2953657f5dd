/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which threads and workers of another process's Python have ended, by the traces that they leave in
 * its registers of living ones. No says nothing: a register that grew has lost its traces.
 * Neighbour: pyview.h.
 */
#pragma once

#include "../../shim/common/cpython/frame.h"

/* Whether a thread of threading has ended that began after the one with this state and pthread_self(). */
bool pyended_thread(const struct cpython *py, const struct state *state, uint64_t pthread);

/* Whether a child that multiprocessing started in the process of this thread has ended, and was reaped. */
bool pyended_worker(const struct cpython *py, const struct state *state);
