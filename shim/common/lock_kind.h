/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The names of lock kinds. Compiled into the library and the command, so that the library's line
 * and the report use the same name for a lock. mpsan_enums.def has the texts.
 */
#pragma once

#include <stdint.h>

/*
 * The name of a kind; "lock" for an unknown one. `flags` (enum mpsan_lock_flags) tells Python's own
 * locks, which are semaphores or mutexes, from others.
 */
const char *lock_kind_text(uint64_t kind, uint64_t flags);
