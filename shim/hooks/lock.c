/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hooks of mutexes, read-write locks, spin locks and C11 mutexes. Each claims the lock and makes
 * the real call. A lock that turns out to be taken is examined before the call blocks.
 */
#include <pthread.h>
#include <threads.h>

#include "../intercept/hook.h"
#include "../locks/claim.h"
#include "../locks/orphans.h"
#include "../locks/pshared_locks.h"
#include "../locks/wait_limit.h"
#include "../record/lock_hints.h"
#include "../record/state.h"
#include "../record/thread.h"

#define MUTEX_TAKEN(m) UNLIKELY((m)->__data.__lock != 0)
#define RWLOCK_TAKEN(l) UNLIKELY((l)->__data.__cur_writer != 0)
#define RWLOCK_IN_USE(l) UNLIKELY((l)->__data.__readers >> 3 || (l)->__data.__cur_writer)
#define SPIN_TAKEN(l) UNLIKELY(*(l) != ARCH_SPIN_FREE)

/* A function of one lock, of whichever type. */
#define ON_VOID(name) ((int (*)(void *))REAL(name))
#define HAND_OVER(name, lock) hold_hand_over(lock, ON_VOID(name))

EXPORT int pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *attr)
{
	ENTER(pthread_mutex_init);
	int result;

	orphans_lock_made(m, CALLER);
	result = REAL(pthread_mutex_init)(m, attr);
	if (UNLIKELY(attr) && result == 0 && claim_mutex_flags(m->__data.__kind) & MPSAN_LF_SHARED)
		pshared_lock(m, MPSAN_LOCK_MUTEX, CALLER);
	return result;
}

EXPORT int pthread_mutex_destroy(pthread_mutex_t *m)
{
	ENTER(pthread_mutex_destroy);
	unsigned learned = lock_hint_known(m);
	int result;

	lock_hint_forget(m);
	result = REAL(pthread_mutex_destroy)(m);
	if (UNLIKELY(result)) /* the lock is in use */
		lock_hint_know(m, learned);
	return result;
}

/*
 * The hooks of locks, waits and unlocks do only what is common, and leave the rest to functions of this
 * kind: so they need no stack frame. A library that is off has no holds, so that all comes here.
 */
static NOINLINE int mutex_lock_slowly(void *m, uint64_t caller, int (*real)(void *))
{
	struct mpsan_hold *hold;

	if (hook_off)
		return real(m);
	hold = hold_push(m, MPSAN_LOCK_MUTEX, caller);
	if (MUTEX_TAKEN((const pthread_mutex_t *)m))
		return prove_and_block(hold, m, MPSAN_LOCK_MUTEX, prove_mutex(m, caller), real);
	return real(m);
}

EXPORT int pthread_mutex_lock(pthread_mutex_t *m)
{
	ENTER(pthread_mutex_lock);
	if (MUTEX_TAKEN(m) || UNLIKELY(!hold_put(m, MPSAN_LOCK_MUTEX, CALLER)))
		return mutex_lock_slowly(m, CALLER, ON_VOID(pthread_mutex_lock));
	return REAL(pthread_mutex_lock)(m);
}

EXPORT int pthread_mutex_trylock(pthread_mutex_t *m)
{
	ENTER(pthread_mutex_trylock);
	return hold_try(m, MPSAN_LOCK_MUTEX, CALLER, REAL(pthread_mutex_trylock)(m));
}

EXPORT int pthread_mutex_timedlock(pthread_mutex_t *m, const struct timespec *until)
{
	ENTER(pthread_mutex_timedlock);
	LOCK_TIMED(m, MPSAN_LOCK_MUTEX, MUTEX_TAKEN(m), CLOCK_REALTIME, until,
		   REAL(pthread_mutex_timedlock)(m, until));
}

EXPORT int pthread_mutex_clocklock(pthread_mutex_t *m, clockid_t clock,
				   const struct timespec *until)
{
	ENTER(pthread_mutex_clocklock);
	LOCK_TIMED(m, MPSAN_LOCK_MUTEX, MUTEX_TAKEN(m), clock, until,
		   REAL(pthread_mutex_clocklock)(m, clock, until));
}

/* In the child the owner's TID may not be its own. */
static NOINLINE int unlock_in_child(pthread_mutex_t *m, uint64_t caller)
{
	int error = REAL(pthread_mutex_unlock)(m);

	return LIKELY(error != EPERM) ? error : prove_unlock(m, error, caller);
}

static NOINLINE int mutex_unlock_slowly(pthread_mutex_t *m, uint64_t caller)
{
	if (hook_off)
		return REAL(pthread_mutex_unlock)(m);
	if (!hold_pop(m))
		return prove_unlock(m, HAND_OVER(pthread_mutex_unlock, m), caller);
	return unlock_in_child(m, caller);
}

EXPORT int pthread_mutex_unlock(pthread_mutex_t *m)
{
	ENTER(pthread_mutex_unlock);
	if (UNLIKELY(!hold_drop(m)))
		return mutex_unlock_slowly(m, CALLER);
	if (UNLIKELY(life.forked))
		return unlock_in_child(m, CALLER);
	return REAL(pthread_mutex_unlock)(m);
}

EXPORT int pthread_rwlock_init(pthread_rwlock_t *l, const pthread_rwlockattr_t *attr)
{
	ENTER(pthread_rwlock_init);
	int result;

	orphans_lock_made(l, CALLER);
	result = REAL(pthread_rwlock_init)(l, attr);
	if (UNLIKELY(attr) && result == 0 && l->__data.__shared)
		pshared_lock(l, MPSAN_LOCK_RWLOCK_WRITE, CALLER);
	return result;
}

EXPORT int pthread_rwlock_destroy(pthread_rwlock_t *l)
{
	ENTER(pthread_rwlock_destroy);
	lock_hint_forget(l);
	return REAL(pthread_rwlock_destroy)(l);
}

static NOINLINE int rwlock_lock_slowly(pthread_rwlock_t *l, unsigned kind, uint64_t caller,
				       int (*real)(pthread_rwlock_t *))
{
	struct mpsan_hold *hold;

	if (hook_off)
		return real(l);
	hold = hold_push(l, kind, caller);
	if (kind == MPSAN_LOCK_RWLOCK_READ ? RWLOCK_TAKEN(l) : RWLOCK_IN_USE(l))
		return lock_taken(hold, l, kind, prove_rwlock(l, kind, caller), real);
	return real(l);
}

EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t *l)
{
	ENTER(pthread_rwlock_rdlock);
	if (RWLOCK_TAKEN(l) || UNLIKELY(!hold_put(l, MPSAN_LOCK_RWLOCK_READ, CALLER)))
		return rwlock_lock_slowly(l, MPSAN_LOCK_RWLOCK_READ, CALLER,
					  REAL(pthread_rwlock_rdlock));
	return REAL(pthread_rwlock_rdlock)(l);
}

EXPORT int pthread_rwlock_tryrdlock(pthread_rwlock_t *l)
{
	ENTER(pthread_rwlock_tryrdlock);
	return hold_try(l, MPSAN_LOCK_RWLOCK_READ, CALLER, REAL(pthread_rwlock_tryrdlock)(l));
}

EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t *l, const struct timespec *until)
{
	ENTER(pthread_rwlock_timedrdlock);
	struct mpsan_hold *hold = hold_push_timed(l, MPSAN_LOCK_RWLOCK_READ, CALLER);

	return hold_commit_or_cancel(hold, l, MPSAN_LOCK_RWLOCK_READ,
				     REAL(pthread_rwlock_timedrdlock)(l, until));
}

EXPORT int pthread_rwlock_clockrdlock(pthread_rwlock_t *l, clockid_t clock,
				      const struct timespec *until)
{
	ENTER(pthread_rwlock_clockrdlock);
	struct mpsan_hold *hold = hold_push_timed(l, MPSAN_LOCK_RWLOCK_READ, CALLER);

	return hold_commit_or_cancel(hold, l, MPSAN_LOCK_RWLOCK_READ,
				     REAL(pthread_rwlock_clockrdlock)(l, clock, until));
}

EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t *l)
{
	ENTER(pthread_rwlock_wrlock);
	if (RWLOCK_IN_USE(l) || UNLIKELY(!hold_put(l, MPSAN_LOCK_RWLOCK_WRITE, CALLER)))
		return rwlock_lock_slowly(l, MPSAN_LOCK_RWLOCK_WRITE, CALLER,
					  REAL(pthread_rwlock_wrlock));
	return REAL(pthread_rwlock_wrlock)(l);
}

EXPORT int pthread_rwlock_trywrlock(pthread_rwlock_t *l)
{
	ENTER(pthread_rwlock_trywrlock);
	return hold_try(l, MPSAN_LOCK_RWLOCK_WRITE, CALLER, REAL(pthread_rwlock_trywrlock)(l));
}

EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t *l, const struct timespec *until)
{
	ENTER(pthread_rwlock_timedwrlock);
	struct mpsan_hold *hold = hold_push_timed(l, MPSAN_LOCK_RWLOCK_WRITE, CALLER);

	return hold_commit_or_cancel(hold, l, MPSAN_LOCK_RWLOCK_WRITE,
				     REAL(pthread_rwlock_timedwrlock)(l, until));
}

EXPORT int pthread_rwlock_clockwrlock(pthread_rwlock_t *l, clockid_t clock,
				      const struct timespec *until)
{
	ENTER(pthread_rwlock_clockwrlock);
	struct mpsan_hold *hold = hold_push_timed(l, MPSAN_LOCK_RWLOCK_WRITE, CALLER);

	return hold_commit_or_cancel(hold, l, MPSAN_LOCK_RWLOCK_WRITE,
				     REAL(pthread_rwlock_clockwrlock)(l, clock, until));
}

static NOINLINE int rwlock_unlock_slowly(pthread_rwlock_t *l)
{
	if (!hook_off)
		hold_release(l);
	return REAL(pthread_rwlock_unlock)(l);
}

EXPORT int pthread_rwlock_unlock(pthread_rwlock_t *l)
{
	ENTER(pthread_rwlock_unlock);
	if (UNLIKELY(!hold_drop(l)))
		return rwlock_unlock_slowly(l);
	return REAL(pthread_rwlock_unlock)(l);
}

EXPORT int pthread_spin_init(pthread_spinlock_t *l, int shared)
{
	ENTER(pthread_spin_init);
	orphans_lock_made((const void *)l, CALLER);
	if (shared == PTHREAD_PROCESS_SHARED)
		lock_hint_learn((const void *)l, MPSAN_LF_SHARED);
	return REAL(pthread_spin_init)(l, shared);
}

EXPORT int pthread_spin_destroy(pthread_spinlock_t *l)
{
	ENTER(pthread_spin_destroy);
	lock_hint_forget((const void *)l);
	return REAL(pthread_spin_destroy)(l);
}

EXPORT int pthread_spin_lock(pthread_spinlock_t *l)
{
	ENTER(pthread_spin_lock);
	struct mpsan_hold *hold = hold_push_wanted((const void *)l, MPSAN_LOCK_SPIN, CALLER);

	if (SPIN_TAKEN(l))
		return lock_taken(hold, (const void *)l, MPSAN_LOCK_SPIN,
				  prove_spin((const void *)l, CALLER), REAL(pthread_spin_lock));
	return hold_commit_or_cancel(hold, (const void *)l, MPSAN_LOCK_SPIN,
				     REAL(pthread_spin_lock)(l));
}

EXPORT int pthread_spin_trylock(pthread_spinlock_t *l)
{
	ENTER(pthread_spin_trylock);
	return hold_try((const void *)l, MPSAN_LOCK_SPIN, CALLER, REAL(pthread_spin_trylock)(l));
}

EXPORT int pthread_spin_unlock(pthread_spinlock_t *l)
{
	ENTER(pthread_spin_unlock);
	hold_release((const void *)l);
	return REAL(pthread_spin_unlock)(l);
}

/* glibc's mtx_t has the layout of a mutex, but its functions do not call the pthread ones. */
#define AS_MUTEX(m) ((pthread_mutex_t *)(void *)(m))

EXPORT int mtx_init(mtx_t *m, int type)
{
	ENTER(mtx_init);
	orphans_lock_made(m, CALLER);
	return REAL(mtx_init)(m, type);
}

EXPORT void mtx_destroy(mtx_t *m)
{
	ENTER(mtx_destroy);
	lock_hint_forget(m);
	REAL(mtx_destroy)(m);
}

EXPORT int mtx_lock(mtx_t *m)
{
	ENTER(mtx_lock);
	if (MUTEX_TAKEN(AS_MUTEX(m)) || UNLIKELY(!hold_put(m, MPSAN_LOCK_MUTEX, CALLER)))
		return mutex_lock_slowly(m, CALLER, ON_VOID(mtx_lock));
	return REAL(mtx_lock)(m);
}

EXPORT int mtx_trylock(mtx_t *m)
{
	ENTER(mtx_trylock);
	return hold_try(m, MPSAN_LOCK_MUTEX, CALLER, REAL(mtx_trylock)(m));
}

EXPORT int mtx_timedlock(mtx_t *restrict m, const struct timespec *restrict until)
{
	ENTER(mtx_timedlock);
	LOCK_TIMED(m, MPSAN_LOCK_MUTEX, MUTEX_TAKEN((const pthread_mutex_t *)m), CLOCK_REALTIME,
		   until, REAL(mtx_timedlock)(m, until));
}

EXPORT int mtx_unlock(mtx_t *m)
{
	ENTER(mtx_unlock);
	if (UNLIKELY(!hold_pop(m)))
		return HAND_OVER(mtx_unlock, m);
	return REAL(mtx_unlock)(m);
}
