/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of the public API of include/mpsan.h by which a program tells the library about itself.
 */
#define MPSAN_LIBRARY
#include "../intercept/hook.h"

#include "../../include/mpsan.h"
#include "../../include/mpsan_version.h"
#include "../record/log.h"
#include "../record/thread.h"

/* For `strings libmpsan.so`: the version of a file. */
__attribute__((used)) static const char version[] = "libmpsan " MPSAN_VERSION;

EXPORT void mpsan_lock_name(const void *lock, const char *name)
{
	GUARDED
		EMIT(lock_name, .lock = (uint64_t)(uintptr_t)lock, .name = log_text(name));
}

EXPORT void mpsan_lock_acquired(const void *lock)
{
	hold_push(lock, MPSAN_LOCK_CUSTOM, CALLER);
}

EXPORT void mpsan_lock_released(const void *lock)
{
	hold_pop(lock);
}

/* A region is a lock without waiters: its reason is its address and its name. */
EXPORT void mpsan_fork_unsafe_begin(const char *reason)
{
	mpsan_lock_name(reason, reason);
	hold_push(reason, MPSAN_LOCK_CUSTOM, CALLER);
}

EXPORT void mpsan_fork_unsafe_end(void)
{
	hold_pop_newest(MPSAN_LOCK_CUSTOM);
}

EXPORT void mpsan_ignore_begin(void)
{
	thread_ignore(true);
}

EXPORT void mpsan_ignore_end(void)
{
	thread_ignore(false);
}
