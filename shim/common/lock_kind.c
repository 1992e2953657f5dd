/* SPDX-License-Identifier: Apache-2.0 */
/* The names of lock kinds, from mpsan_enums.def. */
#include "lock_kind.h"

#include "../../include/mpsan_texts.h"

const char *lock_kind_text(uint64_t kind, uint64_t flags)
{
	if (flags & MPSAN_LF_PYTHON && kind <= MPSAN_LOCK_CUSTOM)
		return "Python lock";
	return mpsan_lock_kind_text(kind) ?: mpsan_lock_kind_text(MPSAN_LOCK_NONE);
}
