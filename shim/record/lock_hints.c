/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Defines the table of lock_hints.h: private memory, copied by a fork, touched only if locks are
 * used.
 */
#include "lock_hints.h"

struct hint lock_hint_table[HINTS];
uint8_t lock_hint_learned[HINTS] __attribute__((aligned(4096)));

void lock_hints_inherit(void)
{
	for (unsigned i = 0; i < HINTS; i++)
		if (lock_hint_learned[i] & HINT_OWN)
			lock_hint_learned[i] &= (uint8_t)~HINT_OWN;
}
