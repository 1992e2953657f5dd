/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hooks of semaphores, condition variables and barriers. Which threads post a semaphore shows what
 * it is used for.
 */
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <threads.h>

#include "../intercept/hook.h"
#include "../locks/libc_locks.h"
#include "../locks/orphans.h"
#include "../locks/pshared_locks.h"
#include "../locks/wait_limit.h"
#include "../python/python.h"
#include "../record/lock_hints.h"
#include "../record/thread.h"

/* The value is the low half of the first word (claim.c). */
#define SEMAPHORE_EMPTY(s) UNLIKELY(*(const uint32_t *)(const void *)(s) == 0)
#define SEMAPHORE_SHARED(s) UNLIKELY(((const uint32_t *)(const void *)(s))[2])

/*
 * Creates the log before a claim on a semaphore that other processes may wait for after this one's
 * death.
 */
#define KEEP_BOOKS(s)                     \
	do {                              \
		if (SEMAPHORE_SHARED(s))  \
			thread_publish(); \
	} while (0)

EXPORT int sem_init(sem_t *s, int shared, unsigned value)
{
	ENTER(sem_init);
	int result;

	orphans_lock_made(s, CALLER);
	result = REAL(sem_init)(s, shared, value);
	if (UNLIKELY(shared) && result == 0) {
		lock_hint_learn(s, value == 1 ? HINT_ONE : 0);
		pshared_semaphore(s, NULL, value, CALLER);
	}
	return result;
}

/*
 * Drops the claim of a semaphore that was acquired twice and posted by another thread; its memory
 * may be reused.
 */
EXPORT int sem_destroy(sem_t *s)
{
	ENTER(sem_destroy);
	while (!hook_off && hold_pop(s))
		continue;
	lock_hint_forget(s);
	return REAL(sem_destroy)(s);
}

EXPORT sem_t *sem_open(const char *name, int flags, ...)
{
	static const struct libc_lock_mark mark =
		LIBC_LOCK_MARK("list of named semaphores", "sem_open");

	ENTER(sem_open);
	uint64_t wait;
	va_list list;
	mode_t mode;
	unsigned value;
	sem_t *s;

	va_start(list, flags);
	mode = flags & O_CREAT ? va_arg(list, mode_t) : 0;
	value = flags & O_CREAT ? va_arg(list, unsigned) : 0;
	va_end(list);
	wait = libc_lock_begin(&mark, CALLER);
	s = REAL(sem_open)(name, flags, mode, value);
	libc_lock_end(&mark, wait);
	if (s != SEM_FAILED) {
		bool made = (flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL);

		lock_hint_set(s, CALLER, made && value == 1 ? HINT_ONE : 0);
		pshared_semaphore(s, name, made ? value : PSHARED_VALUE_UNKNOWN, CALLER);
	}
	return s;
}

EXPORT int sem_close(sem_t *s)
{
	ENTER(sem_close);
	lock_hint_forget(s);
	pshared_gone(s);
	return REAL(sem_close)(s);
}

static NOINLINE int sem_wait_slowly(sem_t *s, uint64_t caller)
{
	struct mpsan_hold *hold;

	if (hook_off)
		return REAL(sem_wait)(s);
	KEEP_BOOKS(s);
	hold = hold_push(s, MPSAN_LOCK_SEMAPHORE, caller);
	if (SEMAPHORE_EMPTY(s)) {
		hold->tag |= MPSAN_TAG_WANTED; /* the proof below looks for its holders */
		return lock_taken(hold, s, MPSAN_LOCK_SEMAPHORE, prove_semaphore(s, caller),
				  REAL(sem_wait));
	}
	return hold_keep_or_cancel(hold, s, MPSAN_LOCK_SEMAPHORE, REAL(sem_wait)(s));
}

EXPORT int sem_wait(sem_t *s)
{
	ENTER(sem_wait);
	if (SEMAPHORE_EMPTY(s) || SEMAPHORE_SHARED(s) ||
	    UNLIKELY(!hold_put(s, MPSAN_LOCK_SEMAPHORE, CALLER)))
		return sem_wait_slowly(s, CALLER);
	if (UNLIKELY(REAL(sem_wait)(s)))
		return hold_cancel(NULL, s, MPSAN_LOCK_SEMAPHORE, -1);
	return 0;
}

EXPORT int sem_trywait(sem_t *s)
{
	ENTER(sem_trywait);
	KEEP_BOOKS(s);
	return hold_try(s, MPSAN_LOCK_SEMAPHORE, CALLER, REAL(sem_trywait)(s));
}

EXPORT int sem_timedwait(sem_t *restrict s, const struct timespec *restrict until)
{
	ENTER(sem_timedwait);
	KEEP_BOOKS(s);
	LOCK_TIMED(s, MPSAN_LOCK_SEMAPHORE, SEMAPHORE_EMPTY(s), CLOCK_REALTIME, until,
		   REAL(sem_timedwait)(s, until));
}

EXPORT int sem_clockwait(sem_t *restrict s, clockid_t clock, const struct timespec *restrict until)
{
	ENTER(sem_clockwait);
	KEEP_BOOKS(s);
	LOCK_TIMED(s, MPSAN_LOCK_SEMAPHORE, SEMAPHORE_EMPTY(s), clock, until,
		   REAL(sem_clockwait)(s, clock, until));
}

static NOINLINE int sem_post_learning(sem_t *s, bool mutual)
{
	lock_hint_learn(s, mutual ? MPSAN_LF_MUTUAL : MPSAN_LF_HANDOFF);
	return REAL(sem_post)(s);
}

static NOINLINE int sem_post_slowly(sem_t *s)
{
	return hook_off ? REAL(sem_post)(s) : sem_post_learning(s, hold_pop(s));
}

EXPORT int sem_post(sem_t *s)
{
	ENTER(sem_post);
	if (UNLIKELY(!hold_drop(s)))
		return sem_post_slowly(s);
	if (UNLIKELY(!lock_hint_has(s, MPSAN_LF_MUTUAL)))
		return sem_post_learning(s, true);
	return REAL(sem_post)(s);
}

/*
 * A wait on a condition variable releases its mutex inside libc, unseen by the hooks: the claim is
 * removed before the wait and restored afterwards. Cancellation skips the restore; the lock's
 * memory decides then.
 */
#define WAIT_CONDITION(condition, mutex, begin, end)        \
	do {                                                \
		int result;                                 \
                                                            \
		hold_pop(mutex);                            \
		begin;                                      \
		result = end;                               \
		hold_pop(condition);                        \
		hold_push(mutex, MPSAN_LOCK_MUTEX, CALLER); \
		return result;                              \
	} while (0)

/* Without a time limit: before it blocks, the library checks whether any thread could wake it. */
#define WAIT_UNTIMED(condition, mutex, call)                                           \
	do {                                                                           \
		uint64_t wait;                                                         \
                                                                                       \
		WAIT_CONDITION(condition, mutex,                                       \
			       wait = prove_alone(condition, MPSAN_WAIT_COND, CALLER), \
			       prove_end(wait, call));                                 \
	} while (0)

#define WAIT_TIMED(condition, mutex, kind, call) \
	WAIT_CONDITION(condition, mutex, hold_push_timed(condition, kind, CALLER), call)

EXPORT int pthread_cond_wait(pthread_cond_t *restrict c, pthread_mutex_t *restrict m)
{
	ENTER(pthread_cond_wait);
	WAIT_UNTIMED(c, m, REAL(pthread_cond_wait)(c, m));
}

EXPORT int pthread_cond_timedwait(pthread_cond_t *restrict c, pthread_mutex_t *restrict m,
				  const struct timespec *restrict until)
{
	ENTER(pthread_cond_timedwait);
	WAIT_TIMED(c, m, python_is_gil(c) ? MPSAN_WAIT_GIL : MPSAN_WAIT_COND,
		   REAL(pthread_cond_timedwait)(c, m, until));
}

EXPORT int pthread_cond_clockwait(pthread_cond_t *restrict c, pthread_mutex_t *restrict m,
				  clockid_t clock, const struct timespec *restrict until)
{
	ENTER(pthread_cond_clockwait);
	WAIT_TIMED(c, m, MPSAN_WAIT_COND, REAL(pthread_cond_clockwait)(c, m, clock, until));
}

EXPORT int cnd_wait(cnd_t *c, mtx_t *m)
{
	ENTER(cnd_wait);
	WAIT_UNTIMED(c, m, REAL(cnd_wait)(c, m));
}

EXPORT int cnd_timedwait(cnd_t *restrict c, mtx_t *restrict m,
			 const struct timespec *restrict until)
{
	ENTER(cnd_timedwait);
	WAIT_TIMED(c, m, MPSAN_WAIT_COND, REAL(cnd_timedwait)(c, m, until));
}

EXPORT int pthread_barrier_wait(pthread_barrier_t *b)
{
	ENTER(pthread_barrier_wait);
	uint64_t wait = prove_alone(b, MPSAN_WAIT_BARRIER, CALLER);
	int result = prove_end(wait, REAL(pthread_barrier_wait)(b));

	hold_pop(b);
	return result;
}

/*
 * Binaries older than glibc 2.3.2 use another pthread_cond_wait, on another structure. The export
 * map gives these names their two versions (shim/exports.map); all other exports have none, so that
 * they match every version.
 */
#if defined(__x86_64__)
typedef int old_wait(void *, pthread_mutex_t *);
typedef int old_timedwait(void *, pthread_mutex_t *, const struct timespec *);

EXPORT int old_cond_wait(void *c, pthread_mutex_t *m);
EXPORT int old_cond_timedwait(void *c, pthread_mutex_t *m, const struct timespec *until);

EXPORT int old_cond_wait(void *c, pthread_mutex_t *m)
{
	static void *known;
	old_wait *real = (old_wait *)hook_oldest(HOOK_pthread_cond_wait, &known);

	WAIT_UNTIMED(c, m, real(c, m));
}

EXPORT int old_cond_timedwait(void *c, pthread_mutex_t *m, const struct timespec *until)
{
	static void *known;
	old_timedwait *real = (old_timedwait *)hook_oldest(HOOK_pthread_cond_timedwait, &known);

	WAIT_TIMED(c, m, MPSAN_WAIT_COND, real(c, m, until));
}

__asm__(".symver old_cond_wait, pthread_cond_wait@GLIBC_2.2.5, remove");
__asm__(".symver old_cond_timedwait, pthread_cond_timedwait@GLIBC_2.2.5, remove");
__asm__(".symver pthread_cond_wait, pthread_cond_wait@@GLIBC_2.3.2, remove");
__asm__(".symver pthread_cond_timedwait, pthread_cond_timedwait@@GLIBC_2.3.2, remove");
#endif
