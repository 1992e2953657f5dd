/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the `held` events of a fork, once for equal lists of locks. */
#include "held_events.h"

#include <string.h>

#include "../python/python.h"
#include "../record/lock_hints.h"
#include "../record/log.h"
#include "../record/state.h"
#include "libc_locks.h"
#include "python_locks.h"

/* Whether the forking thread holds it itself: its stack is in the fork event. */
static bool is_own(const struct claim *c)
{
	return c->tid == thread_tid();
}

/* What a `with` block took is a lock: the block releases it, and nobody else. */
static uint64_t state_one(struct claim *c, uint64_t fork)
{
	const struct mpsan_thread *t = c->holder;
	bool own = is_own(c);
	uint64_t taken = own ? 0 : python_locks_taken(c);

	c->flags |= taken ? MPSAN_LF_MUTUAL : 0;
	taken = taken || own ? taken : python_locks_called(c);
	if (c->object) {
		c->before = python_lock_object(c->object);
		python_locks_name(c);
	}
	if (MPSAN_TAG_KIND(c->tag) == MPSAN_LOCK_LIBC)
		libc_lock_name(claim_lock(c));
	return EMIT(held, .fork = fork, .lock = (uint64_t)(uintptr_t)claim_lock(c),
		    .kind = MPSAN_TAG_KIND(c->tag), .flags = c->flags, .holder = c->tid,
		    .caller = c->caller, .stack = own ? 0 : t->snap_stack,
		    .python = own ? 0 : t->snap_python, .init = lock_hint_init_site(claim_lock(c)),
		    .thread_name = t->name_pos, .taken = taken);
}

/* The last list that was recorded: a fork with the same list refers to it. */
STATE static uint32_t stated_busy;
static struct {
	uint32_t slot;
	uint64_t key;
	uint64_t fork;
	struct claim claim[CLAIMS_LEFT];
} stated LARGE;

/* What the event of a claim says of its holder. */
static uint64_t key_of_holder(const struct mpsan_thread *t)
{
	return (t->snap_stack * 0x9e3779b97f4a7c15ull ^ t->snap_python) * 0xff51afd7ed558ccdull ^
	       t->name_pos;
}

static uint64_t key_of_list(const struct claim *claim, uint32_t count)
{
	uint64_t key = count;

	for (uint32_t i = 0; i < count; i++) {
		const struct claim *c = &claim[i];
		uint64_t snap = is_own(c) ? 0 : key_of_holder(c->holder);

		key = (key ^ c->tag ^ c->caller << 1 ^ (uint64_t)c->tid << 32 ^ c->flags) *
		      0x9e3779b97f4a7c15ull;
		key = (key ^ snap) * 0x9e3779b97f4a7c15ull;
	}
	return key;
}

uint64_t held_state(struct claim *claim, uint32_t count, uint64_t fork, bool refers)
{
	uint64_t key = key_of_list(claim, count), earlier = 0;
	uint32_t expected = 0;
	bool mine = refers && count &&
		    __atomic_compare_exchange_n(&stated_busy, &expected, 1, false, __ATOMIC_ACQUIRE,
						__ATOMIC_RELAXED);

	if (mine && stated.slot == life.slot && stated.key == key)
		earlier = stated.fork;
	if (earlier)
		memcpy(claim, stated.claim, count * sizeof(*claim));
	for (uint32_t i = 0; i < count && !earlier; i++)
		claim[i].held = state_one(&claim[i], fork);
	if (mine && !earlier) {
		memcpy(stated.claim, claim, count * sizeof(*claim));
		stated.fork = fork;
		stated.key = key;
		stated.slot = life.slot;
	}
	if (mine)
		__atomic_store_n(&stated_busy, 0, __ATOMIC_RELEASE);
	return earlier;
}
