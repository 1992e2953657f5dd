/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which locks of another process's Python (3.11 to 3.14) only certain threads can reach, by counting
 * references: of an object that nobody else can reach, the frames of these threads, and other such
 * objects, account for every reference. Threads must stand still meanwhile. Errs towards others
 * having a reference. Neighbours: pyview.h finds the threads, pyowned_objects.c has what objects
 * refer to.
 */
#ifndef MPSAN_PYOWNED_H
#define MPSAN_PYOWNED_H

#include "../../shim/common/cpython/frame.h"

#define PYOWNED_LOCKS 32u

/*
 * One bit for each of the semaphores that threads wait for, at most PYOWNED_LOCKS, whose Lock, RLock or SimpleQueue is
 * reached only by the threads with these PyThreadStates.
 */
uint32_t pyowned_locks(const struct cpython *py, const uint64_t *state, unsigned states,
		       const uint64_t *semaphore, unsigned locks);

/*
 * Whether one of the threads with these PyThreadStates may find objects without a reference to them:
 * the module gc is imported, or named by code that it runs.
 */
bool pyowned_may_list(const struct cpython *py, const uint64_t *state, unsigned states);

#endif
