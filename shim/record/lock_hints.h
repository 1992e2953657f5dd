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
	uint64_t key; /* address and, in the upper 16 bits, enum mpsan_lock_flags */
	uint64_t init; /* return address of the initialising call, 0: unknown; and HINT_OWN */
};

#define HINTS 4096u
#define HINT_FLAG(flag) ((uint64_t)(flag) << 48)
#define HINT_OWN (1ull << 63) /* initialised since the fork that began this process */
extern struct hint lock_hint_table[HINTS];

static inline struct hint *lock_hint_place(const void *lock)
{
	return &lock_hint_table[((uint64_t)(uintptr_t)lock * 0x9e3779b97f4a7c15ull) >> 52];
}

static inline void lock_hint_init(const void *lock, uint64_t caller)
{
	*lock_hint_place(lock) = (struct hint){(uint64_t)(uintptr_t)lock, caller};
}

/* Sets a flag. Reads first, because the flag is nearly always set already. */
static inline void lock_hint_learn(const void *lock, unsigned flag)
{
	struct hint *h = lock_hint_place(lock);
	uint64_t key = h->key, address = (uint64_t)(uintptr_t)lock;

	if (MPSAN_TAG_ADDRESS(key) != address)
		*h = (struct hint){address | HINT_FLAG(flag), 0};
	else if (!(key & HINT_FLAG(flag)))
		h->key = key | HINT_FLAG(flag);
}

static inline void lock_hint_unlearn(const void *lock, unsigned flag)
{
	struct hint *h = lock_hint_place(lock);

	if (MPSAN_TAG_ADDRESS(h->key) == (uint64_t)(uintptr_t)lock)
		h->key &= ~HINT_FLAG(flag);
}

static inline unsigned lock_hint_flags(const void *lock)
{
	uint64_t key = lock_hint_place(lock)->key;

	return MPSAN_TAG_ADDRESS(key) == (uint64_t)(uintptr_t)lock ? (unsigned)(key >> 48) : 0;
}

static inline uint64_t lock_hint_init_site(const void *lock)
{
	const struct hint *h = lock_hint_place(lock);

	return MPSAN_TAG_ADDRESS(h->key) == (uint64_t)(uintptr_t)lock ? h->init & ~HINT_OWN : 0;
}

/* Whether a lock was made since the fork, so that no other process has a copy of it. */
static inline bool lock_hint_own(const void *lock)
{
	const struct hint *h = lock_hint_place(lock);

	return MPSAN_TAG_ADDRESS(h->key) == (uint64_t)(uintptr_t)lock && h->init & HINT_OWN;
}

/* In a forked child, whose parent made all that is there. */
void lock_hints_inherit(void);

#endif
