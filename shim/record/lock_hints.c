/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Defines the table of lock_hints.h: private memory, copied by a fork, touched only if locks are
 * used.
 */
#include "lock_hints.h"

struct hint lock_hint_table[HINTS];

void lock_hints_inherit(void)
{
	for (unsigned i = 0; i < HINTS; i++)
		if (lock_hint_table[i].init & HINT_OWN)
			lock_hint_table[i].init &= ~HINT_OWN;
}
