/* SPDX-License-Identifier: Apache-2.0 */
/* Looks for the owner of a lock among the threads that the fork did not copy. */
#include "wait_limit.h"

#include <pthread.h>

#include "../intercept/racy.h"
#include "../intercept/sys.h"
#include "../record/state.h"
#include "../record/thread.h"
#include "claim.h"
#include "orphans.h"
#include "python_locks.h"

#define LIMIT_NS 900000000ull /* shorter limits are part of many a healthy program */

/* When a time limit runs out, by sys_now; 0: it is short, or by a clock that stands still. */
static uint64_t limit_ns(clockid_t clock, const struct timespec *until)
{
	uint64_t at = (uint64_t)until->tv_sec * 1000000000u + (uint64_t)until->tv_nsec,
		 now = clock == CLOCK_REALTIME ? sys_now_real() : sys_now();

	return now && until->tv_sec > 0 && at >= now + LIMIT_NS ? sys_now() + (at - now) : 0;
}

uint64_t prove_timed(const void *lock, unsigned kind, clockid_t clock, const struct timespec *until,
		     uint64_t caller)
{
	uint64_t mutex = 0, ends_ns, wait = 0;
	const struct claim *o;
	bool own;

	if (kind == MPSAN_LOCK_SEMAPHORE)
		GUARDED
			mutex = python_locks_awaited(lock);
	own = mutex ? python_locks_own(mutex) : hold_find(lock) != NULL;
	if (mutex) {
		lock = (const void *)(uintptr_t)mutex;
		kind = MPSAN_LOCK_PYTHON;
	}
	o = life.forked ? orphan_find(lock, kind) : NULL;
	ends_ns = o ? limit_ns(clock, until) : 0;

	if (own) /* the supervisor sees whether a short limit is renewed again and again */
		thread_show();
	if (!o || !ends_ns || !prove_may_look() || prove_handed_off(lock) ||
	    (kind == MPSAN_LOCK_MUTEX &&
	     !prove_vanished(racy_word(&((const struct __pthread_mutex_s *)lock)->__owner))))
		return 0;
	GUARDED {
		struct ev_wait w = {
			.lock = (uint64_t)(uintptr_t)lock,
			.kind = kind,
			.flags = o->flags | MPSAN_LF_TIMED,
			.reason = MPSAN_WAIT_ORPHAN,
			.owner = o->tid,
			.caller = caller,
			.ends_ns = ends_ns,
		};

		wait = prove_event(&w, o, lock);
	}
	return wait;
}
