/*
 * What kinds of locks are called: pure code for both sides, so that the line that the library prints
 * and the report call a lock the same. Neighbours: stderr_lines.c, text_locks.h; mpsan_enums.def has the texts.
 */
#ifndef MPSAN_LOCK_KIND_H
#define MPSAN_LOCK_KIND_H

#include <stdint.h>

/* `flags`: enum mpsan_lock_flags; Python's own locks are semaphores or mutexes. "lock" for an unknown kind. */
const char *lock_kind_text(uint64_t kind, uint64_t flags);

#endif
