/* SPDX-License-Identifier: Apache-2.0 */
/* The object with the lock for which a thread waits, among what its frames work on. */
#pragma once

#include "lock.h"

/*
 * The Lock, RLock, SemLock or file with this PyMutex or semaphore among the values of a frame: a variable, an
 * argument of a call, or what a method is bound to. 0: none.
 */
uint64_t cpython_at_hand(const struct cpython *py, const struct frame *frame, uint64_t address);

/* Whether it is a SemLock, which is part of a Lock of multiprocessing and the like. */
bool cpython_is_shared(const struct cpython *py, uint64_t object);

/*
 * pthread_self() of the thread that is in the buffer with this lock: of a file that the thread `state`,
 * which waits for it, has at hand, or of sys.stdout or sys.stderr. 0: nobody is, or it is no file's lock.
 */
uint64_t cpython_file_owner(const struct cpython *py, const struct state *state, uint64_t address);

/*
 * "sys.stdout" or "sys.stderr", and that file, if its buffer has this lock, for which the thread `state`
 * waits; NULL: neither has.
 */
const char *cpython_standard_file(const struct cpython *py, const struct state *state,
				  uint64_t address, uint64_t *file);

/* The name with which a file of text was opened, a str; 0: unknown. */
uint64_t cpython_file_name(const struct cpython *py, uint64_t file);
