/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of libc that guard their data with internal locks. No hook sees those locks, and
 * glibc's fork resets only those of malloc and stdio (posix/fork.c). So a thread claims the
 * function while it is inside, like a lock: the claim's address is the function's mark. Marks with
 * the same lock belong together: a child that calls one of them may wait for a thread that was in
 * another.
 */
#pragma once

#include <stdint.h>

#include "../intercept/hook.h"
#include "../record/state.h"
#include "../record/thread.h"

struct libc_lock_mark {
	uint64_t magic; /* tells a mark from other memory, if a claim was spoilt */
	const char *lock;
	const char *function;
};

#define LIBC_LOCK_MAGIC 0x6b72616d6362696cull /* "libcmark" */
#define LIBC_LOCK_MARK(lock, function)          \
	{                                       \
		LIBC_LOCK_MAGIC, lock, function \
	}

#define LIBC_LOCK_LOADED "list of loaded objects"

/* Records the names of a function and its lock, once. */
void libc_lock_name(const struct libc_lock_mark *mark);

/*
 * In a forked child: the position of a `wait` event if a thread that was not copied was in a
 * function with the same lock, otherwise 0. The event's lock is that function's mark. The call may
 * well return.
 */
uint64_t libc_lock_look(const struct libc_lock_mark *mark, uint64_t caller);
/* The call returned: the lock was free. */
void libc_lock_back(const struct libc_lock_mark *mark, uint64_t wait);

/*
 * Records a call of exit, which never returns, but runs the library's destructor unless it hangs at
 * its start.
 */
void libc_lock_exit(uint64_t caller);
void libc_lock_exited(void);

static inline uint64_t libc_lock_begin(const struct libc_lock_mark *mark, uint64_t caller)
{
	hold_push(mark, MPSAN_LOCK_LIBC, caller);
	return UNLIKELY(life.forked) ? libc_lock_look(mark, caller) : 0;
}

static inline void libc_lock_end(const struct libc_lock_mark *mark, uint64_t wait)
{
	hold_pop(mark);
	if (UNLIKELY(wait))
		libc_lock_back(mark, wait);
}
