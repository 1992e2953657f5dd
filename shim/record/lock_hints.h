/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hints about locks, by address: where a lock was initialised, and whether a semaphore serves as a
 * lock (its taker posts it) or as a signal (another thread does). A fixed table that forgets one of
 * two locks with the same index. Hints only serve for names and to stay silent, never for a proof.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "../../include/mpsan_log.h"
#include "state.h"

struct hint {
	uint64_t address; /* of the lock */
	uint64_t init; /* return address of the initialising call, 0: unknown */
};

#define HINTS 4096u
#define YOUNG 128u

/*
 * Each page that a child writes is copied, and it makes, destroys and posts the locks of many threads: those that it makes
 * itself have places of their own, as long as there are any, and what was learned of all lies together.
 */
struct lock_hints {
	uint8_t learned[HINTS]; /* enum mpsan_lock_flags, and the flags below */
	uint8_t young_learned[YOUNG];
	struct hint young[YOUNG];
	struct hint hint[HINTS];
};
extern HIDDEN struct lock_hints lock_hints;

#define HINT_FLAGS (MPSAN_LF_SHARED | MPSAN_LF_MUTUAL | MPSAN_LF_HANDOFF)
#define HINT_GONE 2u /* destroyed: what initialised it does not count */
#define HINT_OWN 4u /* initialised since the fork that began this process */
#define HINT_END 8u /* of a thread of Python, which has it all its life */
#define HINT_ONE 16u /* a process-shared semaphore that was made with the value 1, as a lock is */

struct hint_place {
	struct hint *hint;
	uint8_t *learned;
};

static inline bool lock_hint_at(const struct hint *h, const void *lock)
{
	return __atomic_load_n(&h->address, __ATOMIC_ACQUIRE) == (uint64_t)(uintptr_t)lock;
}

static inline struct hint_place lock_hint_place(const void *lock, bool young)
{
	unsigned i = (unsigned)(((uint64_t)(uintptr_t)lock * 0x9e3779b97f4a7c15ull) >> 52);

	return young ? (struct hint_place){&lock_hints.young[i % YOUNG],
					   &lock_hints.young_learned[i % YOUNG]} :
		       (struct hint_place){&lock_hints.hint[i], &lock_hints.learned[i]};
}

/* False: nothing is known of the lock. */
static inline bool lock_hint_find(const void *lock, struct hint_place *place)
{
	if (__builtin_expect(life.forked, 0)) {
		*place = lock_hint_place(lock, true);
		if (lock_hint_at(place->hint, lock))
			return true;
	}
	*place = lock_hint_place(lock, false);
	return lock_hint_at(place->hint, lock);
}

/* All that was learned of a lock; 0: nothing. */
static inline unsigned lock_hint_known(const void *lock)
{
	struct hint_place place;

	return lock_hint_find(lock, &place) ? *place.learned : 0;
}

/* Reads first, because it is nearly always known already. */
static inline void lock_hint_write(struct hint_place place, unsigned learned)
{
	if (*place.learned != learned)
		__atomic_store_n(place.learned, (uint8_t)learned, __ATOMIC_RELEASE);
}

static inline void lock_hint_know(const void *lock, unsigned learned)
{
	struct hint_place place;

	if (lock_hint_find(lock, &place))
		lock_hint_write(place, learned);
}

/* Replaces what is known; what was learned of another lock never counts for this one. */
static inline void lock_hint_set(const void *lock, uint64_t init, unsigned learned)
{
	struct hint_place place, young = lock_hint_place(lock, true);

	if (lock_hint_find(lock, &place) && place.hint->init == init) {
		lock_hint_write(place, learned);
		return;
	}
	if (life.forked && !young.hint->address)
		place = young;
	__atomic_store_n(&place.hint->address, 0, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE); /* who sees a change below finds no address */
	*place.learned = (uint8_t)learned;
	place.hint->init = init;
	__atomic_store_n(&place.hint->address, (uint64_t)(uintptr_t)lock, __ATOMIC_RELEASE);
}

/* Whether lock_hint_learn has nothing to do. */
static inline bool lock_hint_has(const void *lock, unsigned flag)
{
	struct hint_place place = lock_hint_place(lock, false);

	return lock_hint_at(place.hint, lock) && *place.learned & flag;
}

/* A separate function, so that hooks need no stack frame. */
void lock_hint_add(const void *lock, unsigned flag);

/* Nearly always it is known, in the place that is common to all processes. */
static inline void lock_hint_learn(const void *lock, unsigned flag)
{
	if (__builtin_expect(!lock_hint_has(lock, flag), 0))
		lock_hint_add(lock, flag);
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
	struct hint_place place;

	return lock_hint_find(lock, &place) && !(*place.learned & HINT_GONE) ? place.hint->init : 0;
}

/* Whether a lock was made since the fork, so that no other process has a copy of it. */
static inline bool lock_hint_own(const void *lock)
{
	return lock_hint_known(lock) & HINT_OWN;
}

/* In a forked child, whose parent made all that is there. */
void lock_hints_inherit(void);
