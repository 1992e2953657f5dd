/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hints about locks, by address: where a lock was initialised, and whether a semaphore serves as a
 * lock (its taker posts it) or as a signal (another thread does). A fixed table that forgets one of
 * two locks with the same index. Hints only serve for names and to stay silent, never for a proof.
 */
#ifndef MPSAN_LOCK_HINTS_H
#define MPSAN_LOCK_HINTS_H

#include <stdbool.h>
#include <stdint.h>

#include "../../include/mpsan_log.h"

struct hint {
	uint64_t address; /* of the lock */
	uint64_t init; /* return address of the initialising call, 0: unknown */
};

#define HINTS 4096u
extern struct hint lock_hint_table[HINTS];

/*
 * What was learned of the same lock: enum mpsan_lock_flags, and these. It has a page of its own, since a child destroys
 * and posts the locks of many threads, each in another page of the table, which would be copied.
 */
extern uint8_t lock_hint_learned[HINTS];
#define HINT_FLAGS (MPSAN_LF_SHARED | MPSAN_LF_MUTUAL | MPSAN_LF_HANDOFF)
#define HINT_GONE 2u /* destroyed: what initialised it does not count */
#define HINT_OWN 4u /* initialised since the fork that began this process */
#define HINT_END 8u /* of a thread of Python, which has it all its life */

static inline unsigned lock_hint_index(const void *lock)
{
	return (unsigned)(((uint64_t)(uintptr_t)lock * 0x9e3779b97f4a7c15ull) >> 52);
}

static inline bool lock_hint_is_of(const void *lock)
{
	return __atomic_load_n(&lock_hint_table[lock_hint_index(lock)].address, __ATOMIC_ACQUIRE) ==
	       (uint64_t)(uintptr_t)lock;
}

/* All that was learned of a lock; 0: nothing. */
static inline unsigned lock_hint_known(const void *lock)
{
	return lock_hint_is_of(lock) ? lock_hint_learned[lock_hint_index(lock)] : 0;
}

/* Reads first, because it is nearly always known already. */
static inline void lock_hint_know(const void *lock, unsigned learned)
{
	uint8_t *known = &lock_hint_learned[lock_hint_index(lock)];

	if (lock_hint_is_of(lock) && *known != learned)
		__atomic_store_n(known, (uint8_t)learned, __ATOMIC_RELEASE);
}

/* Replaces what is known; what was learned of another lock never counts for this one. */
static inline void lock_hint_set(const void *lock, uint64_t init, unsigned learned)
{
	struct hint *h = &lock_hint_table[lock_hint_index(lock)];

	if (lock_hint_is_of(lock) && h->init == init) {
		lock_hint_know(lock, learned);
	} else {
		__atomic_store_n(&h->address, 0, __ATOMIC_RELEASE);
		lock_hint_learned[lock_hint_index(lock)] = (uint8_t)learned;
		h->init = init;
		__atomic_store_n(&h->address, (uint64_t)(uintptr_t)lock, __ATOMIC_RELEASE);
	}
}

static inline void lock_hint_learn(const void *lock, unsigned flag)
{
	bool is_of = lock_hint_is_of(lock);
	unsigned known = lock_hint_learned[lock_hint_index(lock)];

	if (__builtin_expect(is_of && known & flag, 1))
		return;
	if (is_of)
		lock_hint_know(lock, known | flag);
	else
		lock_hint_set(lock, 0, flag);
}

static inline void lock_hint_unlearn(const void *lock, unsigned flags)
{
	lock_hint_know(lock, lock_hint_known(lock) & ~flags);
}

static inline void lock_hint_forget(const void *lock)
{
	lock_hint_know(lock, HINT_GONE);
}

static inline unsigned lock_hint_flags(const void *lock)
{
	return lock_hint_known(lock) & HINT_FLAGS;
}

static inline uint64_t lock_hint_init_site(const void *lock)
{
	return lock_hint_is_of(lock) && !(lock_hint_known(lock) & HINT_GONE) ?
		       lock_hint_table[lock_hint_index(lock)].init :
		       0;
}

/* Whether a lock was made since the fork, so that no other process has a copy of it. */
static inline bool lock_hint_own(const void *lock)
{
	return lock_hint_known(lock) & HINT_OWN;
}

/* In a forked child, whose parent made all that is there. */
void lock_hints_inherit(void);

#endif
