/*
 * Proofs about waits. Neighbours: fork.c knows what was left behind, core/ and rules/ judge the
 * events.
 */
#include "look.h"

#include <pthread.h>

#include "claim.h"
#include "fork.h"
#include "hint.h"
#include "hook.h"
#include "life.h"
#include "log.h"
#include "stack.h"
#include "sys.h"
#include "thread.h"

static const char *const kind_name[] = {
	"lock",	     "mutex",	  "read-write lock", "read-write lock",
	"spin lock", "semaphore", "custom lock"};

/* With no command at hand a proof is told at once, in two lines; the report tells the rest. */
static void print_wait(const struct ev_wait *w)
{
	char pid[16], owner[16], lock[24];
	bool orphan = w->reason == MPSAN_WAIT_ORPHAN;
	const char *const line[] = {"==",
				    pid,
				    "== mpsan: error: ",
				    orphan			? "fork-orphaned-lock: " :
				    w->reason == MPSAN_WAIT_OWN ? "fork-own-lock: " :
								  "self-deadlock: ",
				    w->flags & MPSAN_LF_PYTHON	     ? "Python lock" :
				    w->kind <= MPSAN_LOCK_CUSTOM ? kind_name[w->kind] :
								     "lock",
				    " 0x",
				    lock,
				    " is held by thread ",
				    owner,
				    orphan ? ", which the fork left behind; this wait cannot end" :
					     ", which is this thread; this wait cannot end",
				    NULL};

	const char *const more[] = {"==", pid, "== mpsan: `mpsan report ", log_directory(),
				    "` tells where", NULL};

	text_put_number(pid, pid + sizeof(pid), life.pid, 10);
	text_put_number(owner, owner + sizeof(owner), w->owner, 10);
	text_put_number(lock, lock + sizeof(lock), w->lock, 16);
	if (life.quiet || !mpsan_wait_is_proof(w))
		return;
	sys_print(line);
	sys_print(more);
}

/* Where this thread took a lock that it holds already, as a `held` record that belongs to no fork. */
static uint64_t state_own_hold(const void *lock, uint32_t flags)
{
	const struct mpsan_hold *hold = hold_find(lock);

	return hold ? EMIT(held, .lock = (uint64_t)(uintptr_t)lock,
			   .kind = MPSAN_TAG_KIND(hold->tag), .flags = flags | MPSAN_LF_VERIFIED,
			   .holder = thread_hot->tid, .caller = hold->caller,
			   .init = hint_init_site(lock)) :
		      0;
}

static uint64_t state_wait(const void *lock, unsigned kind, uint32_t flags,
			   enum mpsan_wait_reason reason, uint32_t owner,
			   const struct claim *orphan, uint64_t caller)
{
	struct ev_wait w = {
		.lock = (uint64_t)(uintptr_t)lock,
		.kind = kind,
		.flags = flags,
		.reason = reason,
		.owner = owner,
		.held = orphan ? orphan->held : 0,
		.held_slot = orphan ? orphan->held_slot : 0,
		.caller = caller,
		.threads = sys_thread_count(),
	};
	uint64_t position;

	if (sys_is_shared(lock)) /* another process can give it back */
		return 0;
	w.stack = stack_own();
	w.python = stack_python(0);
	if (stack_in_module((uint64_t)(uintptr_t)lock, NULL))
		w.flags |= MPSAN_LF_STATIC;
	if (w.python && stack_is_python(caller))
		w.flags |= MPSAN_LF_PYTHON;
	if (!orphan && (w.held = state_own_hold(lock, flags)))
		w.held_slot = life.slot;
	position = log_append(EV_wait, &w, sizeof(w));
	if (position) {
		thread_hot->waits++;
		print_wait(&w);
	}
	return position;
}

/*
 * A TID that locks still name but that is no thread of this process, in a process that came from a
 * fork.
 */
static bool vanished(uint32_t owner)
{
	return life.forked && owner && !thread_known(owner) && !sys_thread_alive(life.pid, owner);
}

/* Repeated waits of one thread need not be told again and again. */
static bool may_look(void)
{
	const struct mpsan_thread *t = thread_hot;

	return life.attached && !hook_off && t && t != &thread_none && t->waits < 64;
}

/*
 * Some programs let one thread unlock what another has locked: then a wait may end although its
 * owner cannot.
 */
static bool given_back_by_others(const void *lock)
{
	return (hint_flags(lock) & MPSAN_LF_HANDOFF) && sys_thread_count() != 1;
}

uint64_t look_mutex(const void *mutex, uint64_t caller)
{
	const struct __pthread_mutex_s *m = mutex;
	uint32_t owner = (uint32_t)m->__owner,
		 flags = claim_mutex_flags(m->__kind) | MPSAN_LF_VERIFIED;
	bool own_type = flags & (MPSAN_LF_RECURSIVE | MPSAN_LF_ERRORCHECK);
	uint64_t wait = 0;

	if (!may_look() || (flags & MPSAN_LF_SHARED) || given_back_by_others(mutex))
		return 0;
	INSIDE
	{
		if (owner == thread_hot->tid && !own_type &&
		    !(flags & (MPSAN_LF_ROBUST | MPSAN_LF_PI)))
			wait = state_wait(mutex, MPSAN_LOCK_MUTEX, flags, MPSAN_WAIT_SELF, owner,
					  NULL, caller);
		else if (vanished(owner))
			wait = state_wait(mutex, MPSAN_LOCK_MUTEX, flags,
					  owner != life.tid_before ? MPSAN_WAIT_ORPHAN :
					  own_type		   ? MPSAN_WAIT_OWN :
								     MPSAN_WAIT_SELF,
					  owner, fork_orphan_find(mutex, MPSAN_LOCK_MUTEX), caller);
	}
	return wait;
}

static bool reads_itself(const void *rwlock)
{
	const struct mpsan_hold *hold = hold_find(rwlock);

	return hold && MPSAN_TAG_KIND(hold->tag) == MPSAN_LOCK_RWLOCK_READ;
}

/* Readers leave no name: a wait for them is proved by what they held at the fork. */
uint64_t look_rwlock(const void *rwlock, unsigned kind, uint64_t caller)
{
	const struct __pthread_rwlock_arch_t *l = rwlock;
	uint32_t writer = (uint32_t)l->__cur_writer;
	const struct claim *o =
		fork_orphan_find(rwlock, writer ? MPSAN_LOCK_RWLOCK_WRITE : MPSAN_LOCK_RWLOCK_READ);
	uint64_t wait = 0;

	if (!may_look() || l->__shared || given_back_by_others(rwlock))
		return 0;
	INSIDE
	{
		if (vanished(writer))
			wait = state_wait(rwlock, kind, MPSAN_LF_VERIFIED,
					  writer == life.tid_before ? MPSAN_WAIT_OWN :
								      MPSAN_WAIT_ORPHAN,
					  writer, o, caller);
		else if (!writer && kind == MPSAN_LOCK_RWLOCK_WRITE && o)
			wait = state_wait(rwlock, kind, 0, MPSAN_WAIT_ORPHAN, o->tid, o, caller);
		else if (!writer && kind == MPSAN_LOCK_RWLOCK_WRITE &&
			 reads_itself(rwlock))
			wait = state_wait(rwlock, kind, 0, MPSAN_WAIT_SELF, thread_hot->tid, NULL,
					  caller);
	}
	return wait;
}

uint64_t look_spin(const void *lock, uint64_t caller)
{
	const struct claim *o = fork_orphan_find(lock, MPSAN_LOCK_SPIN);
	uint64_t wait = 0;

	if (!may_look() || (hint_flags(lock) & MPSAN_LF_SHARED) || given_back_by_others(lock))
		return 0;
	INSIDE
	{
		if (o)
			wait = state_wait(lock, MPSAN_LOCK_SPIN, 0, MPSAN_WAIT_ORPHAN, o->tid, o,
					  caller);
		else if (hold_find(lock))
			wait = state_wait(lock, MPSAN_LOCK_SPIN, 0, MPSAN_WAIT_SELF,
					  thread_hot->tid, NULL, caller);
	}
	return wait;
}

/* This thread holds a private semaphore, and neither a thread nor a signal could post it. */
static bool holds_alone(const void *semaphore)
{
	const uint32_t *word = semaphore;

	return !word[2] && hold_find(semaphore) && sys_thread_count() == 1 && !sys_has_handlers();
}

/*
 * Anybody may post: whether it is a proof follows from what is stated here, that it served as a
 * lock, that no other thread is here, that a signal handler might post or end the wait by EINTR.
 */
uint64_t look_semaphore(const void *semaphore, uint64_t caller)
{
	const struct claim *o = fork_orphan_find(semaphore, MPSAN_LOCK_SEMAPHORE);
	unsigned learned = hint_flags(semaphore);
	uint64_t wait = 0;

	if (!may_look() || (learned & MPSAN_LF_HANDOFF))
		return 0;
	INSIDE
	{
		if (o)
			wait = state_wait(semaphore, MPSAN_LOCK_SEMAPHORE,
					  o->flags | (sys_has_handlers() ? MPSAN_LF_SIGNALS : 0),
					  MPSAN_WAIT_ORPHAN, o->tid, o, caller);
		else if ((learned & MPSAN_LF_MUTUAL) && holds_alone(semaphore))
			wait = state_wait(semaphore, MPSAN_LOCK_SEMAPHORE, MPSAN_LF_MUTUAL,
					  MPSAN_WAIT_SELF, thread_hot->tid, NULL, caller);
	}
	return wait;
}

int look_and_block(struct mpsan_hold *hold, void *lock, unsigned kind, uint64_t wait,
		   int (*real)(void *))
{
	int result;

	hold->tag |= MPSAN_TAG_WANTED;
	result = real(lock);
	if (wait)
		EMIT(wait_end, .wait = wait, .result = (uint64_t)(int64_t)result);
	return hold_end(hold, lock, kind, result);
}

int look_unlock(const void *mutex, int error, uint64_t caller)
{
	const struct __pthread_mutex_s *m = mutex;
	const struct claim *o = fork_orphan_find(mutex, MPSAN_LOCK_MUTEX);
	uint32_t owner = (uint32_t)m->__owner;

	if (LIKELY(error != EPERM) || !may_look() || !vanished(owner) || owner != life.tid_before)
		return error;
	INSIDE
	{
		EMIT(unlock_failed, .lock = (uint64_t)(uintptr_t)mutex, .kind = MPSAN_LOCK_MUTEX,
		     .flags = claim_mutex_flags(m->__kind), .error = (uint64_t)error,
		     .owner = owner, .held = o ? o->held : 0, .held_slot = o ? o->held_slot : 0,
		     .caller = caller, .stack = stack_own(), .python = stack_python(0));
	}
	return error;
}
