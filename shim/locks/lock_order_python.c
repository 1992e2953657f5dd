/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stands between the interpreter and the methods of threading's Lock and RLock. The interpreter looks up a
 * method's C function in a table in its writable data at each call, whatever the kind of the call; all of
 * them get at most four arguments, and the first is the lock.
 */
#include "lock_order_python.h"

#include "../intercept/hook.h"
#include "../intercept/sys.h"
#include "../python/python.h"
#include "../record/lock_hints.h"
#include "../record/state.h"
#include "../record/thread.h"

typedef void *method(void *self, void *a, void *b, void *c);
typedef void destructor(void *self);

static struct order_python order;
static void *true_object;
static unsigned offset; /* of the PyMutex */

static bool counts(void)
{
	return !hook_off && life.attached && !life_is_guest() && thread_hot;
}

static const void *mutex_of(const void *self)
{
	return (const char *)self + offset;
}

static void take(const void *mutex, uint64_t caller)
{
	if (!counts())
		return;
	hold_push(mutex, MPSAN_LOCK_PYTHON, caller);
	order.took(mutex);
}

static void give(const void *mutex)
{
	if (counts())
		lock_hint_learn(mutex, hold_pop(mutex) ? MPSAN_LF_MUTUAL : MPSAN_LF_HANDOFF);
}

static void forget(const void *mutex)
{
	if (!counts())
		return;
	order.ended(mutex);
	lock_hint_forget(mutex);
}

/* The methods that take a lock return True if they did; those that end with one that they took, None. */
#define TAKES(name, id, returns)                                       \
	static method *real_##id;                                      \
	static void *order_##id(void *self, void *a, void *b, void *c) \
	{                                                              \
		void *result = real_##id(self, a, b, c);               \
                                                                       \
		if (result && (!(returns) || result == true_object))   \
			take(mutex_of(self), CALLER);                  \
		return result;                                         \
	}
#define GIVES(name, id)                                                \
	static method *real_##id;                                      \
	static void *order_##id(void *self, void *a, void *b, void *c) \
	{                                                              \
		give(mutex_of(self));                                  \
		return real_##id(self, a, b, c);                       \
	}
#define ENDS(id)                           \
	static destructor *real_##id;      \
	static void order_##id(void *self) \
	{                                  \
		forget(mutex_of(self));    \
		real_##id(self);           \
	}
#define METHODS(TAKES, GIVES, ENDS)               \
	TAKES("acquire", acquire, true)           \
	TAKES("acquire_lock", acquire_lock, true) \
	TAKES("__enter__", enter, true)           \
	GIVES("release", release)                 \
	GIVES("release_lock", release_lock)       \
	GIVES("__exit__", exit)                   \
	ENDS(end)
#define METHODS_RECURSIVE(TAKES, GIVES, ENDS)       \
	TAKES("acquire", r_acquire, true)           \
	TAKES("__enter__", r_enter, true)           \
	TAKES("_acquire_restore", r_restore, false) \
	GIVES("release", r_release)                 \
	GIVES("__exit__", r_exit)                   \
	GIVES("_release_save", r_save)              \
	ENDS(r_end)
METHODS(TAKES, GIVES, ENDS)
METHODS_RECURSIVE(TAKES, GIVES, ENDS)

/* The real function is known before ours can be called. */
static void put(uint64_t at, void **real, void *ours)
{
	uint64_t found = 0;

	if (!at || sys_peek(&found, (const void *)(uintptr_t)at, sizeof(found)) != sizeof(found) ||
	    !found)
		return;
	__atomic_store_n(real, (void *)(uintptr_t)found, __ATOMIC_RELEASE);
	sys_poke(at, (uint64_t)(uintptr_t)ours);
}

#define PUT_METHOD(name, id, recursive) \
	put(python_lock_method(recursive, name), (void **)&real_##id, (void *)order_##id);
#define PUT_LOCK(name, id, ...) PUT_METHOD(name, id, false)
#define PUT_RLOCK(name, id, ...) PUT_METHOD(name, id, true)
#define PUT_LOCK_END(id) PUT_METHOD(NULL, id, false)
#define PUT_RLOCK_END(id) PUT_METHOD(NULL, id, true)

void order_python_start(struct order_python does)
{
	static bool done;

	if (done || !python_has_mutexes() || !python_holds_gil())
		return;
	done = true;
	order = does;
	offset = python_lock_offset();
	true_object = (void *)(uintptr_t)python_true();
	METHODS(PUT_LOCK, PUT_LOCK, PUT_LOCK_END)
	if (python_has_mutex_rlocks()) {
		METHODS_RECURSIVE(PUT_RLOCK, PUT_RLOCK, PUT_RLOCK_END)
	}
}
