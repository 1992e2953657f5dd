/* SPDX-License-Identifier: Apache-2.0 */
/* Looks up stacks by a hash of the Python frames, or by the caller's address if there are none. */
#include "callsite_cache.h"

#include <string.h>

#include "../intercept/hook.h"
#include "../python/python.h"
#include "stack.h"
#include "thread_names.h"

#define PLACES 128u
#define TAKEN_MAX 16u

STATE static bool used; /* if unset, a fork has nothing to clear and writes to no page */

/* Written by any thread: `key` is written last, and is 0 while the rest changes: readers look at it before and after. */
static struct place {
	uint64_t key;
	struct where where;
	uint32_t taken;
} places[PLACES] LARGE;

static struct where callsite_take(void)
{
	struct where where;

	where.stack = stack_own();
	where.python = stack_python(0);
	return where;
}

static bool callsite_recall(const struct place *place, uint64_t key, struct where *where)
{
	if (__atomic_load_n(&place->key, __ATOMIC_ACQUIRE) != key)
		return false;
	*where = place->where;
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return __atomic_load_n(&place->key, __ATOMIC_RELAXED) == key;
}

static void callsite_remember(struct place *place, uint64_t key, const struct where *where)
{
	__atomic_store_n(&place->key, 0, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE); /* who sees a change below finds no key */
	place->where = *where;
	place->taken = 1;
	__atomic_store_n(&place->key, key, __ATOMIC_RELEASE);
}

struct where callsite_now(uint64_t caller)
{
	uint64_t frames = python_hash(0), key;
	struct place *place;
	struct where where;

	key = (caller ^ frames) * 0x9e3779b97f4a7c15ull | 1;
	place = &places[key >> 57];
	if (!callsite_recall(place, key, &where)) {
		where = callsite_take();
		used = true;
		callsite_remember(place, key, &where);
		return where;
	}
	if (frames) {
		thread_name_first(); /* another thread may have recorded this call site before */
		return where;
	}
	return place->taken++ < TAKEN_MAX ? callsite_take() : (struct where){0, 0};
}

void callsite_forget(void)
{
	if (used)
		memset(places, 0, sizeof(places));
	used = false;
}
_Static_assert(PLACES == 1u << 7, "a key's highest bits are its place");
