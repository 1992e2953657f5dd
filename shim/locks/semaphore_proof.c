/* SPDX-License-Identifier: Apache-2.0 */
/* Proves that a wait for a semaphore cannot end: a lock of Python's is one, or waits for one. */
#include "../intercept/hook.h"
#include "../intercept/sys.h"
#include "../python/python.h"
#include "../record/lock_hints.h"
#include "../record/state.h"
#include "../record/thread.h"
#include "claim.h"
#include "fork_context.h"
#include "orphans.h"
#include "python_locks.h"
#include "wait_proof.h"

enum whose { INHERITED, OWN, UNKNOWN };

/*
 * Whether this thread waits for what its process made since the fork: no other process has a copy of
 * that. The lock of a Condition's waiter is always new; a PyMutex calls nothing when it is made, so
 * only what was seen at the fork is known to be inherited.
 */
static enum whose whose_it_is(const void *semaphore)
{
	const void *lock = python_awaits_news() ? python_awaited_lock() : semaphore;

	if (lock && lock_hint_own(lock))
		return OWN;
	return lock && lock != semaphore && python_has_mutexes() && !python_awaits_inherited() ?
		       UNKNOWN :
		       INHERITED;
}

/*
 * Records the wait of a forked child. It may be idle in Event.wait until it is ended, and surely is
 * if it has a signal handler, or made the object itself: then 0. So it is in C for any semaphore that
 * is no lock. A child that requested a signal at its parent's end may be idle in any wait.
 */
static uint64_t prove_parked(const void *semaphore, uint32_t flags, uint64_t caller)
{
	enum whose whose = whose_it_is(semaphore);

	uint32_t handled = life_has(MPSAN_PROCESS_DEATHSIG) ? MPSAN_LF_SIGNALS : prove_handlers();
	bool parked = python_waits_for_event();

	if (whose != INHERITED || (parked && handled) ||
	    (!(flags & MPSAN_LF_MUTUAL) && prove_may_be_posted(caller)))
		return 0;
	flags |= handled | (parked ? MPSAN_LF_SIGNALS : 0);
	return prove_write(semaphore, MPSAN_LOCK_SEMAPHORE, flags, MPSAN_WAIT_ALONE, 0, NULL,
			   caller);
}

/*
 * Records the wait for a lock of Python's that this thread took by a `with` block in which it still
 * is: whoever else lives, nobody else releases that one.
 */
static uint64_t prove_within(const void *semaphore, uint64_t caller)
{
	if (python_awaits_news() || !python_locks_own((uint64_t)(uintptr_t)semaphore) ||
	    life_has_alarm() || prove_handlers())
		return 0;
	return prove_write(semaphore, MPSAN_LOCK_SEMAPHORE, MPSAN_LF_MUTUAL, MPSAN_WAIT_SELF,
			   thread_hot->tid, NULL, caller);
}

/*
 * Records a wait for a semaphore that no thread that was not copied is known to hold. A thread that
 * is alone and took it before waits for itself; in a forked child an empty private semaphore stays
 * empty. 0: not proven. `alone` is known in a forked child.
 */
static uint64_t prove_lonely(const void *semaphore, bool alone, uint64_t caller)
{
	uint32_t learned = lock_hint_flags(semaphore), mutual = learned & MPSAN_LF_MUTUAL;
	bool holds = hold_find(semaphore), own = holds && !(learned & MPSAN_LF_HANDOFF);

	if (!life.forked && (!own || (!mutual && python_awaits_news())))
		return 0;
	if (!(life.forked ? alone : prove_is_alone()))
		return own ? prove_within(semaphore, caller) : 0;
	own = own && (mutual || (!python_awaits_news() && !python_waits_for_simple(semaphore)));
	if (own) /* a signal handler may post it if it never served as a lock */
		return (mutual ? prove_signals() : prove_handlers()) ?
			       0 :
			       prove_write(semaphore, MPSAN_LOCK_SEMAPHORE, mutual, MPSAN_WAIT_SELF,
					   thread_hot->tid, NULL, caller);
	return life.forked ? prove_parked(semaphore, mutual, caller) : 0;
}

/*
 * A wait for a module's import lock, which is Python code around a semaphore. It is no proof if
 * another thread of this process may be at that import; the event has the number of threads.
 */
static uint64_t prove_import(const void *semaphore, uint64_t hash, const char *name, bool alone,
			     uint64_t caller)
{
	const struct claim *o = orphan_find((const void *)(uintptr_t)hash, MPSAN_LOCK_IMPORT);
	struct ev_wait w = {
		.lock = hash,
		.kind = MPSAN_LOCK_IMPORT,
		.flags = MPSAN_LF_PYTHON | prove_signals(),
		.reason = o ? MPSAN_WAIT_ORPHAN : MPSAN_WAIT_ALONE,
		.owner = o ? o->tid : 0,
		.caller = caller,
	};

	if (!o && !alone)
		return 0;
	fork_context_name_import(hash, name);
	return prove_event(&w, o, semaphore);
}

/*
 * A wait for a semaphore, which any thread may post. Whether it is a proof follows from what is
 * recorded: that it served as a lock, that there is no other thread, and whether a signal handler
 * might post it or end the wait by EINTR.
 */
uint64_t prove_semaphore(const void *semaphore, uint64_t caller)
{
	const struct claim *o = orphan_find(semaphore, MPSAN_LOCK_SEMAPHORE);
	unsigned learned = lock_hint_flags(semaphore);
	const uint32_t *word = semaphore; /* the third marks a process-shared one (claim.c) */
	uint64_t wait = 0, mutex = 0;

	if (!prove_may_look() || word[2] || (learned & MPSAN_LF_SHARED))
		return 0;
	GUARDED {
		char name[128];
		bool alone = life.forked && prove_is_alone(), may_import;
		uint64_t import;

		mutex = python_locks_awaited(semaphore);
		may_import = alone || o || (life.forked && mutex) ||
			     orphans_have(MPSAN_LOCK_IMPORT);
		import = may_import ? python_awaited_import(name, sizeof(name)) : 0;
		if (import)
			wait = prove_import(semaphore, import, name, alone, caller);
		else if (mutex && (wait = python_locks_prove(mutex, caller)))
			;
		else if (o && !(learned & MPSAN_LF_HANDOFF))
			wait = prove_write(semaphore, MPSAN_LOCK_SEMAPHORE,
					   o->flags | prove_signals(), MPSAN_WAIT_ORPHAN, o->tid, o,
					   caller);
		else
			wait = prove_lonely(semaphore, alone, caller);
	}
	if (!wait && (mutex || hold_find(semaphore)))
		thread_show(); /* for the supervisor, which may prove more */
	return wait;
}
