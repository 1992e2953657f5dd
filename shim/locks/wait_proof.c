/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Proves that a wait cannot end, from the lock's memory, the fork's orphans and the threads of this
 * process, and records it as a `wait` event.
 */
#include "wait_proof.h"

#include <pthread.h>
#include <signal.h>

#include "../common/mutex_owner.h"
#include "../common/wait_rule.h"
#include "../intercept/hook.h"
#include "../intercept/racy.h"
#include "../intercept/scope.h"
#include "../intercept/sys.h"
#include "../python/python.h"
#include "../record/lock_hints.h"
#include "../record/log.h"
#include "../record/modules.h"
#include "../record/stack.h"
#include "../record/state.h"
#include "../record/thread.h"
#include "claim.h"
#include "cxx_caught.h"
#include "fork_context.h"
#include "orphans.h"
#include "python_locks.h"
#include "signal_actions.h"
#include "stderr_lines.h"

/*
 * Records where this thread took a lock that it already holds, as a `held` record without a fork; 0:
 * that is unknown. A PyMutex is taken unseen, but a `with` block tells.
 */
static uint64_t state_own_hold(const void *lock, unsigned kind, uint32_t flags)
{
	const struct mpsan_hold *hold = hold_find(lock);
	struct claim own = {.tag = hold ? hold->tag : MPSAN_TAG(lock, kind),
			    .flags = flags,
			    .holder = thread_hot};
	uint64_t taken = python_locks_taken(&own);

	taken = taken ? taken : python_locks_called(&own);
	return hold || taken ?
		       EMIT(held, .lock = (uint64_t)(uintptr_t)lock,
			    .kind = MPSAN_TAG_KIND(own.tag), .flags = flags | MPSAN_LF_VERIFIED,
			    .holder = thread_hot->tid, .caller = hold ? hold->caller : 0,
			    .init = lock_hint_init_site(lock), .taken = taken) :
		       0;
}

/* States the name that the program gave to a lock of Python's; "" if that is unknown. */
static void name_lock(const struct ev_wait *w, char text[PRINT_NAME])
{
	text[0] = '\0';
	if (w->flags & MPSAN_LF_PYTHON && w->kind != MPSAN_LOCK_IMPORT &&
	    python_lock_name((const void *)(uintptr_t)w->lock, text, PRINT_NAME))
		EMIT(lock_name, .lock = w->lock, .name = log_text(text));
}

/* An alarm may end the process, or have a handler that does, though the wait cannot succeed. */
static void state_alarm(struct ev_wait *w)
{
	uint64_t due_ns = w->ends_ns ? 0 : sys_alarm_ns();

	if (!due_ns || due_ns == UINT64_MAX)
		return;
	w->ends_ns = due_ns;
	w->flags |= sys_catches_alarm() ? MPSAN_LF_CAUGHT : 0;
}

uint64_t prove_event(struct ev_wait *w, const struct claim *orphan, const void *lock)
{
	uint64_t position;
	char name[PRINT_NAME];

	if (sys_is_shared(lock)) {
		lock_hint_learn(
			lock, MPSAN_LF_SHARED); /* checked once: waits of this kind are frequent */
		return 0;
	}
	w->threads = sys_thread_count();
	w->held = orphan ? orphan->held : 0;
	w->held_slot = orphan ? orphan->held_slot : 0;
	w->flags |= fork_context_in_handler() ? MPSAN_LF_HANDLER : 0;
	w->stack = stack_own();
	w->python = stack_python(0);
	w->raised = stack_raised();
	if (!w->raised && w->reason == MPSAN_WAIT_SELF && w->kind == MPSAN_LOCK_MUTEX &&
	    !w->ends_ns)
		w->raised = cxx_caught_raised(w->caller);
	w->flags |= w->python && python_collects() ? MPSAN_LF_COLLECTOR : 0;
	if (w->kind != MPSAN_LOCK_IMPORT && modules_have(w->lock, NULL))
		w->flags |= MPSAN_LF_STATIC;
	if (w->python && modules_is_python(w->caller))
		w->flags |= MPSAN_LF_PYTHON;
	if (w->owner && !orphan && w->reason != MPSAN_WAIT_ORPHAN &&
	    (w->held = state_own_hold(lock, (unsigned)w->kind, (uint32_t)w->flags)))
		w->held_slot = life.slot;
	state_alarm(w);
	name_lock(w, name);
	position = log_append(EV_wait, w, sizeof(*w));
	if (position) {
		thread_hot->waits++;
		if (w->reason != MPSAN_WAIT_INSIDE)
			thread_hot->waiting = position;
		print_wait(w, name);
	}
	return position;
}

uint64_t prove_write(const void *lock, unsigned kind, uint32_t flags, enum mpsan_wait_reason reason,
		     uint32_t owner, const struct claim *orphan, uint64_t caller)
{
	struct ev_wait w = {
		.lock = (uint64_t)(uintptr_t)lock,
		.kind = kind,
		.flags = flags,
		.reason = reason,
		.owner = owner,
		.caller = caller,
	};

	return prove_event(&w, orphan, lock);
}

bool prove_vanished(uint32_t owner)
{
	return life.forked && owner && !thread_known(owner) && !sys_thread_alive(life.pid, owner);
}

bool prove_may_look(void)
{
	const struct mpsan_thread *t = thread_hot;

	return life.attached && !hook_off && t && t != &thread_none && t->waits < 64;
}

bool prove_handed_off(const void *lock)
{
	return (lock_hint_flags(lock) & MPSAN_LF_HANDOFF) && sys_thread_count() != 1;
}

/* glibc marks all robust mutexes as process-shared: which of them are depends on their memory. */
static bool seems_shared(const void *mutex, uint32_t flags)
{
	return flags & MPSAN_LF_SHARED &&
	       (!(flags & MPSAN_LF_ROBUST) || lock_hint_flags(mutex) & MPSAN_LF_SHARED);
}

uint64_t prove_mutex(const void *mutex, uint64_t caller)
{
	const struct __pthread_mutex_s *m = mutex;
	uint32_t owner = mutex_owner(m->__kind, racy_word(&m->__lock), racy_word(&m->__owner)),
		 flags = claim_mutex_flags(m->__kind) | MPSAN_LF_VERIFIED;
	bool own_type = flags & (MPSAN_LF_RECURSIVE | MPSAN_LF_ERRORCHECK);
	uint64_t wait = 0;

	if (!prove_may_look() || seems_shared(mutex, flags) || prove_handed_off(mutex))
		return 0;
	flags &= ~(uint32_t)MPSAN_LF_SHARED; /* looked at before the wait is stated */
	GUARDED {
		if (owner == thread_hot->tid && !own_type)
			wait = prove_write(mutex, MPSAN_LOCK_MUTEX, flags, MPSAN_WAIT_SELF, owner,
					   NULL, caller);
		else if (prove_vanished(owner))
			wait = prove_write(mutex, MPSAN_LOCK_MUTEX, flags,
					   owner != life.tid_before ? MPSAN_WAIT_ORPHAN :
					   own_type		    ? MPSAN_WAIT_OWN :
								      MPSAN_WAIT_SELF,
					   owner, orphan_find(mutex, MPSAN_LOCK_MUTEX), caller);
	}
	return wait;
}

static bool reads_itself(const void *rwlock)
{
	const struct mpsan_hold *hold = hold_find(rwlock);

	return hold && MPSAN_TAG_KIND(hold->tag) == MPSAN_LOCK_RWLOCK_READ;
}

/*
 * A read-write lock has no record of its readers: a wait for them is proven by the claims at the
 * fork.
 */
uint64_t prove_rwlock(const void *rwlock, unsigned kind, uint64_t caller)
{
	const struct __pthread_rwlock_arch_t *l = rwlock;
	uint32_t writer = racy_word(&l->__cur_writer);
	const struct claim *o =
		orphan_find(rwlock, writer ? MPSAN_LOCK_RWLOCK_WRITE : MPSAN_LOCK_RWLOCK_READ);
	uint64_t wait = 0;

	if (!prove_may_look() || l->__shared || prove_handed_off(rwlock))
		return 0;
	GUARDED {
		if (prove_vanished(writer))
			wait = prove_write(rwlock, kind, MPSAN_LF_VERIFIED,
					   writer == life.tid_before ? MPSAN_WAIT_OWN :
								       MPSAN_WAIT_ORPHAN,
					   writer, o, caller);
		else if (!writer && kind == MPSAN_LOCK_RWLOCK_WRITE && o)
			wait = prove_write(rwlock, kind, 0, MPSAN_WAIT_ORPHAN, o->tid, o, caller);
		else if (!writer && kind == MPSAN_LOCK_RWLOCK_WRITE && reads_itself(rwlock))
			wait = prove_write(rwlock, kind, 0, MPSAN_WAIT_SELF, thread_hot->tid, NULL,
					   caller);
	}
	return wait;
}

uint64_t prove_spin(const void *lock, uint64_t caller)
{
	const struct claim *o = orphan_find(lock, MPSAN_LOCK_SPIN);
	uint64_t wait = 0;

	if (!prove_may_look() || (lock_hint_flags(lock) & MPSAN_LF_SHARED) ||
	    prove_handed_off(lock))
		return 0;
	GUARDED {
		if (o)
			wait = prove_write(lock, MPSAN_LOCK_SPIN, 0, MPSAN_WAIT_ORPHAN, o->tid, o,
					   caller);
		else if (hold_find(lock))
			wait = prove_write(lock, MPSAN_LOCK_SPIN, 0, MPSAN_WAIT_SELF,
					   thread_hot->tid, NULL, caller);
	}
	return wait;
}

/* No other thread of this process, nor one cloned into its memory, runs code in it. */
static bool is_only_thread(void)
{
	return !life.has_guests && !thread_has_company() && sys_thread_count() == 1;
}

uint32_t prove_signals(void)
{
	bool any = life_has_alarm() ||
		   sys_has_handlers(signal_action_window_counts(), !is_only_thread());
	return any ? MPSAN_LF_SIGNALS : 0;
}

static uint64_t handled(void)
{
	return sys_handled_signals(python_present(), signal_action_window_counts(),
				   !is_only_thread());
}

uint32_t prove_handlers(void)
{
	return handled() ? MPSAN_LF_SIGNALS : 0;
}

/* Whether a library waits, some of whose threads may not have been copied. */
static bool may_be_pool(uint64_t caller)
{
	const struct link_map *map = life.lost_threads ? scope_owner(caller) : NULL;
	char path[512];
	long n = map ? sys_peek(path, map->l_name, sizeof(path) - 1) : 0;

	path[n > 0 ? n : 0] = '\0';
	return wait_is_library(path);
}

bool prove_may_be_posted(uint64_t caller)
{
	const uint64_t child = 1ull << (SIGCHLD - 1);

	return !python_present() && handled() & ~child && !may_be_pool(caller);
}

bool prove_is_alone(void)
{
	/* An alarm would end the wait, or the process. */
	bool alone = is_only_thread() && !life_has_alarm();

	if (alone)
		modules_update();
	return alone;
}

uint64_t prove_learned_tags(const void *object)
{
	unsigned learned = lock_hint_flags(object);

	return (learned & MPSAN_LF_MUTUAL ? MPSAN_TAG_MUTUAL : 0) |
	       (learned & MPSAN_LF_HANDOFF ? MPSAN_TAG_HANDOFF : 0);
}

static void claim_wait(const void *object, unsigned kind, uint64_t caller)
{
	hold_push_tag(MPSAN_TAG(object, kind) | MPSAN_TAG_WANTED | prove_tags() |
			      (kind == MPSAN_WAIT_FUTEX ? prove_learned_tags(object) : 0),
		      caller);
	thread_waits(true);
}

/*
 * Whether the thread may be idle: if every thread was copied, none was ever to wake this one, and
 * the supervisor judges that; or a handler wakes it. At a barrier, and at a word that serves as a lock, it is not.
 */
static bool may_be_idle(const void *object, unsigned kind, uint64_t caller)
{
	uint32_t word;

	if (kind == MPSAN_WAIT_COND)
		return !life.lost_threads;
	return kind == MPSAN_WAIT_FUTEX && sys_peek(&word, object, sizeof(word)) == sizeof(word) &&
	       word != FUTEX_CONTENDED && (!life.lost_threads || prove_may_be_posted(caller));
}

/* Whether the caller completes a round of a barrier, and does not wait. */
static bool is_last(const void *object, unsigned kind)
{
	struct {
		uint32_t came, came_before_round, parties;
	} barrier; /* the beginning of glibc's struct pthread_barrier */

	return kind == MPSAN_WAIT_BARRIER &&
	       sys_peek(&barrier, object, sizeof(barrier)) == sizeof(barrier) && barrier.parties &&
	       (barrier.came + 1 - barrier.came_before_round) % barrier.parties == 0;
}

uint64_t prove_alone(const void *object, unsigned kind, uint64_t caller)
{
	uint64_t wait = 0;

	thread_publish(); /* the supervisor is to see what the only thread waits for, too */
	claim_wait(object, kind, caller);
	if (!life.forked || may_be_idle(object, kind, caller) || is_last(object, kind) ||
	    !prove_may_look() || (lock_hint_flags(object) & MPSAN_LF_SHARED) ||
	    thread_hot->waiting) /* inside another recorded wait */
		return 0;
	GUARDED {
		if (prove_is_alone())
			wait = prove_write(object, kind, prove_handlers(), MPSAN_WAIT_ALONE, 0,
					   NULL, caller);
	}
	return wait;
}

uint64_t prove_futex(const void *word, uint32_t value, uint64_t caller)
{
	uint32_t now;

	if (!life.forked || (sys_peek(&now, word, sizeof(now)) == sizeof(now) && now == value))
		return prove_alone(word, MPSAN_WAIT_FUTEX, caller);
	claim_wait(word, MPSAN_WAIT_FUTEX, caller);
	return 0;
}

long prove_end(uint64_t wait, long result)
{
	thread_waits(false);
	if (!wait)
		return result;
	if (thread_hot)
		thread_hot->waiting = 0;
	EMIT(wait_end, .wait = wait, .result = (uint64_t)result);
	return result;
}

uint64_t prove_tags(void)
{
	return python_present() && python_holds_main_gil() ? MPSAN_TAG_GIL : 0;
}

uint64_t prove_guard(const void *guard, uint64_t caller)
{
	const struct claim *o = life.forked && claim_guard_open(guard) ?
					orphan_find(guard, MPSAN_LOCK_GUARD) :
					NULL;

	return o ? prove_state(guard, MPSAN_LOCK_GUARD, MPSAN_WAIT_ORPHAN, o, caller) : 0;
}

uint64_t prove_state(const void *lock, unsigned kind, enum mpsan_wait_reason reason,
		     const struct claim *orphan, uint64_t caller)
{
	uint64_t wait = 0;

	if (!prove_may_look())
		return 0;
	GUARDED
		wait = prove_write(lock, kind, orphan ? orphan->flags & MPSAN_LF_VERIFIED : 0,
				   reason, orphan ? orphan->tid : 0, orphan, caller);
	return wait;
}

int prove_and_block(struct mpsan_hold *hold, void *lock, unsigned kind, uint64_t wait,
		    int (*real)(void *))
{
	thread_stops_trying(lock);
	hold = hold_now(hold); /* the proof may have opened the log */
	hold->tag |= MPSAN_TAG_WANTED | prove_tags() |
		     (kind == MPSAN_LOCK_SEMAPHORE ? prove_learned_tags(lock) : 0);
	thread_waits(true);
	return hold_commit_or_cancel(hold, lock, kind, (int)prove_end(wait, real(lock)));
}

static void state_unlock(const struct ev_unlock_failed *unlock)
{
	log_append(EV_unlock_failed, unlock, sizeof(*unlock));
	print_unlock(unlock);
}

int prove_unlock(const void *mutex, int error, uint64_t caller)
{
	const struct __pthread_mutex_s *m = mutex;
	const struct claim *o = orphan_find(mutex, MPSAN_LOCK_MUTEX);
	uint32_t owner = mutex_owner(m->__kind, (uint32_t)m->__lock, (uint32_t)m->__owner);

	if (error != EPERM || !prove_may_look() || !prove_vanished(owner) ||
	    owner != life.tid_before)
		return error;
	GUARDED {
		state_unlock(&(struct ev_unlock_failed){
			.lock = (uint64_t)(uintptr_t)mutex,
			.kind = MPSAN_LOCK_MUTEX,
			.flags = claim_mutex_flags(m->__kind),
			.error = (uint64_t)error,
			.owner = owner,
			.held = o ? o->held : 0,
			.held_slot = o ? o->held_slot : 0,
			.caller = caller,
			.stack = stack_own(),
			.python = stack_python(0),
		});
	}
	return error;
}
