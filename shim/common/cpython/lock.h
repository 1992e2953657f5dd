/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threading's Lock and RLock. Behind such an object is a semaphore, or, from 3.13.1 (Lock) and 3.14
 * (RLock) on, a PyMutex: one byte in the object, taken without a call of the C library. A thread
 * that finds it taken is parked: it waits for a semaphore of its own, inside an entry on its stack
 * that names the byte.
 */
#pragma once

#include "with.h"

struct cpython_lock {
	uint64_t object; /* the Lock or RLock */
	uint64_t address; /* of its PyMutex or semaphore */
	bool mutex, recursive;
};

/* Whether some locks of this version are PyMutexes. */
bool cpython_has_mutexes(const struct cpython *py);

/* What is read of a Lock or RLock in a forked child to see whether it is as it was. */
struct cpython_lock_object {
	uint64_t
		references; /* to it; 0: unknown, as without a GIL, where a thread counts its own apart */
	uint64_t type;
	uint64_t word; /* the address of its semaphore, unless it has a PyMutex */
};
/* One peek; all 0: not readable. */
struct cpython_lock_object cpython_lock_object(const struct cpython *py, uint64_t object);

/* False: it is neither a Lock nor an RLock. */
bool cpython_lock(const struct cpython *py, uint64_t object, struct cpython_lock *lock);

/* pthread_self() of the owner that an RLock names; 0: it is free, or no RLock. */
uint64_t cpython_lock_owner(const struct cpython *py, const struct cpython_lock *lock);

/* Whether the byte of a PyMutex says that it is taken. */
#define CPYTHON_MUTEX_LOCKED 1u
#define CPYTHON_MUTEX_PARKED 2u

/*
 * What a thread that waits for this semaphore is parked for: the address of a PyMutex, or of another byte
 * of an object; 0: it is not parked.
 */
uint64_t cpython_parked_for(const struct cpython *py, uint64_t semaphore);

/*
 * The PyMutex for which a thread is parked that waits for this semaphore; 0: for something else, or in
 * threading.Condition.wait, whose own lock a notification releases.
 */
uint64_t cpython_parked(const struct cpython *py, uint64_t top, uint64_t semaphore);

/* Whether the innermost frame is threading.Condition.wait: a notification releases its own lock. */
bool cpython_awaits_news(const struct cpython *py, uint64_t top);

/*
 * The semaphore or PyMutex of the lock around the Condition, Event or Queue that a thread waits for; 0: it waits
 * for something else, or in concurrent.futures or a Pool, which make an object for each wait.
 */
uint64_t cpython_awaited_lock(const struct cpython *py, uint64_t frame);
/* The threading.Condition in whose wait() a thread is; 0: none. */
uint64_t cpython_awaited_condition(const struct cpython *py, uint64_t frame);

/* The Lock or RLock that the block releases in the end, also of a threading.Condition around it; false: none. */
bool cpython_lock_in(const struct cpython *py, const struct with_block *block,
		     struct cpython_lock *lock);

/*
 * Whether threading made this lock for the end of a thread, given its PyThreadState (0: false), as it does up
 * to 3.12: the thread has it all its life, and a forked child makes those of the others anew.
 */
bool cpython_ends_with(const struct cpython *py, uint64_t state, uint64_t address);

/*
 * Calls `see` for each `with` block of a thread, innermost first, that releases a Lock or RLock in
 * the end: of the lock, or of a threading.Condition around it. Not while the thread is in that
 * condition's wait(), which has released it.
 */
typedef void cpython_held_seen(const struct cpython *py, const struct cpython_lock *lock,
			       const struct frame *frame, const struct with_block *block,
			       void *context);
void cpython_held(const struct cpython *py, uint64_t top, cpython_held_seen *see, void *context);

/*
 * The name of the module that the thread with this innermost frame waits for in importlib, because another
 * thread imports it. Returns the length; 0: it does not.
 */
size_t cpython_awaited_import(const struct cpython *py, uint64_t top, char *text, size_t bytes);
