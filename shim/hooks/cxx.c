/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hooks of __cxa_guard_*: C++ statics being constructed. The guard does not say which thread
 * constructs, so that thread claims it like a lock.
 */
#include "../intercept/hook.h"
#include "../locks/wait_proof.h"
#include "../record/thread.h"

int __cxa_guard_acquire(uint64_t *guard);
void __cxa_guard_release(uint64_t *guard);
void __cxa_guard_abort(uint64_t *guard);

/* Without any C++ runtime the caller has a weak reference, which it should not have called. */
#define DONE 1

EXPORT int __cxa_guard_acquire(uint64_t *guard)
{
	ENTER(__cxa_guard_acquire);
	int (*real)(uint64_t *) = REAL_OF(__cxa_guard_acquire, CALLER);
	struct mpsan_hold *hold;
	uint64_t wait;
	int mine;

	if (UNLIKELY(!real))
		return *(const char *)guard != DONE;
	hold = hold_push_wanted(guard, MPSAN_LOCK_GUARD, CALLER);
	wait = prove_guard(guard, CALLER);
	mine = (int)prove_end(wait, real(guard));
	if (mine)
		hold_commit(hold, guard, MPSAN_LOCK_GUARD);
	else
		hold_pop(guard);
	return mine;
}

#define END(name)                                                 \
	EXPORT void name(uint64_t *guard)                         \
	{                                                         \
		ENTER(name);                                      \
		void (*real)(uint64_t *) = REAL_OF(name, CALLER); \
                                                                  \
		hold_pop(guard);                                  \
		if (real)                                         \
			real(guard);                              \
	}
END(__cxa_guard_release)
END(__cxa_guard_abort)
