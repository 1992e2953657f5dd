/* SPDX-License-Identifier: Apache-2.0 */
/* The name that the program gave to one of its locks. */
#pragma once

#include "lock.h"

/*
 * Names the Lock or RLock with this PyMutex or semaphore, for which the thread `state`
 * waits, or which it has in a `with` block, by what its frames call it:
 * `Lock "cache_lock" (train.py, global)`, `Lock "lock" (train.py, local of main)`,
 * `Condition "self.ready" of Cache`, `Lock "Cache.lock" (class attribute)`, `TextIOWrapper "sys.stdout"`; of what threading and queue have made, the object that the
 * program sees. `object`: that Lock or RLock, if it is known. Returns the length; 0: no name was found.
 */
size_t cpython_lock_name(const struct cpython *py, const struct state *state, uint64_t address,
			 uint64_t object, bool holds, char *text, size_t bytes);
