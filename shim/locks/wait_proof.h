/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Examines a lock that is already taken before the real call blocks on it: can this wait end? If it
 * provably cannot, it is recorded as a `wait` event with all that proves it. Only untimed waits are
 * examined.
 */
#pragma once

#include <stdint.h>

#include "../../include/mpsan_event.h"
#include <stdbool.h>

#include "../../include/mpsan_log.h"

struct claim;

/* Each returns the position of a `wait` event, or 0. `caller` is the program's return address. */
uint64_t prove_mutex(const void *mutex, uint64_t caller);
uint64_t prove_rwlock(const void *rwlock, unsigned kind, uint64_t caller);
uint64_t prove_spin(const void *lock, uint64_t caller);
uint64_t prove_semaphore(const void *semaphore, uint64_t caller);
/* For a C++ static that is being constructed only by a thread that was not copied. */
uint64_t prove_guard(const void *guard, uint64_t caller);

/*
 * Before and after a wait for an object that is no lock: a condition variable, a barrier, a futex.
 * prove_alone claims it, and records the wait (and returns its event) if nothing is left to end it:
 * in a forked child with one thread, in private memory. prove_end returns `result`; the caller
 * drops the claim.
 */
uint64_t prove_alone(const void *object, unsigned kind, uint64_t caller);
/* As prove_alone, for a futex: the kernel blocks only while the word has this value. */
uint64_t prove_futex(const void *word, uint32_t value, uint64_t caller);
long prove_end(uint64_t wait, long result);

/* Flags for the claim of a wait that is about to block, for the supervisor. */
uint64_t prove_tags(void);
/* The tags of what is known of a semaphore or futex; only a wait asks for them. */
uint64_t prove_learned_tags(const void *object);

/*
 * The slow path of a lock call that found the lock taken, out of line: blocks in `real`, ends the
 * wait, completes the claim. `real` takes the lock as its only argument.
 */
#define lock_taken(hold, lock, kind, wait, real)                     \
	prove_and_block(hold, (void *)(uintptr_t)(lock), kind, wait, \
			(int (*)(void *))(void *)(real))
int prove_and_block(struct mpsan_hold *hold, void *lock, unsigned kind, uint64_t wait,
		    int (*real)(void *));

/* Records a wait that its hook has proven; 0 if it is not recorded now. `orphan` may be NULL. */
uint64_t prove_state(const void *lock, unsigned kind, enum mpsan_wait_reason reason,
		     const struct claim *orphan, uint64_t caller);

/* Records that an unlock in a forked child returned `error`; returns it. */
int prove_unlock(const void *mutex, int error, uint64_t caller);

/* Whether to examine this wait: repeated waits of one thread are not all recorded. */
bool prove_may_look(void);

/* Whether, in a forked process, the owner's TID is no thread of this process. */
bool prove_vanished(uint32_t owner);

/*
 * Whether other threads unlock this lock, as some programs do: then the wait may end although its
 * owner cannot end it.
 */
bool prove_handed_off(const void *lock);

/* Whether no other thread, nor one cloned into this memory, could end a wait. */
bool prove_is_alone(void);

/*
 * MPSAN_LF_SIGNALS, or 0: whether a signal handler could end a wait; any handler may, if only a
 * signal is left to end it (prove_handlers). One whose signal the only thread blocks does not run.
 */
uint32_t prove_signals(void);
uint32_t prove_handlers(void);
/*
 * Whether the wait may be for a signal: the program, and not Python, has a handler for another signal than SIGCHLD,
 * which may well post a semaphore or wake a futex. None posts for a library's pool.
 */
bool prove_may_be_posted(uint64_t caller);

/* Writes the `wait` event of a wait for a lock. */
uint64_t prove_write(const void *lock, unsigned kind, uint32_t flags, enum mpsan_wait_reason reason,
		     uint32_t owner, const struct claim *orphan, uint64_t caller);

/*
 * Fills in the rest of a `wait` event and writes it. Another process may end a wait in shared
 * memory.
 */
uint64_t prove_event(struct ev_wait *w, const struct claim *orphan, const void *lock);
