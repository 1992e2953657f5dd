/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Defines the table of lock_hints.h: private memory, copied by a fork, touched only if locks are
 * used.
 */
#include "lock_hints.h"

struct lock_hints lock_hints __attribute__((aligned(4096))) LARGE;

void lock_hint_add(const void *lock, unsigned flag)
{
	struct hint_place place;

	if (lock_hint_find(lock, &place))
		lock_hint_write(place, *place.learned | flag);
	else
		lock_hint_set(lock, 0, flag);
}

void lock_hints_inherit(void)
{
	for (uint8_t *at = lock_hints.learned; at < lock_hints.young_learned + YOUNG; at++)
		if (*at & HINT_OWN)
			*at &= (uint8_t)~HINT_OWN;
}
