/* SPDX-License-Identifier: Apache-2.0 */
/* The table behind lock_hints.h: private memory, copied by a fork, touched only where locks are used. */
#include "lock_hints.h"

struct hint lock_hint_table[HINTS];
