/* SPDX-License-Identifier: Apache-2.0 */
/* Coroutines and generators that are suspended: their frames lie in no thread's stack. */
#pragma once

#include "frame.h"

/* Whether it is a coroutine or a generator, of either kind. */
bool cpython_is_coroutine(const struct cpython *py, uint64_t object);

/* Its frame; 0: it has ended, or is not suspended. */
uint64_t cpython_suspended(const struct cpython *py, uint64_t coroutine);

/* The exception that it was handling when it was suspended with this frame; 0: none. See exception.h. */
uint64_t cpython_suspended_handles(const struct cpython *py, uint64_t coroutine, uint64_t frame);
