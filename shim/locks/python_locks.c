/* SPDX-License-Identifier: Apache-2.0 */
/* Claims on PyMutexes, made at a fork, and waits for them. */
#include "python_locks.h"

#include "../intercept/hook.h"
#include "../python/python.h"
#include "../python/python_glance.h"
#include "../record/lock_hints.h"
#include "../record/log.h"
#include "../record/modules.h"
#include "../record/state.h"
#include "../record/thread.h"
#include "orphans.h"
#include "wait_proof.h"

/* ---- at a fork ---- */

struct adder {
	void (*add)(const struct mpsan_hold *hold, struct mpsan_thread *t, void *context);
	struct mpsan_thread *t;
	void *context;
	struct python_inside inside;
};

/* With lock-order=yes. */
static bool is_claimed(const struct mpsan_thread *t, uint64_t mutex)
{
	uint32_t n = holds_of(t);

	for (uint32_t i = 0; i < n; i++)
		if (t->hold[i].tag == MPSAN_TAG(mutex, MPSAN_LOCK_PYTHON))
			return true;
	return false;
}

static void see_lock(const struct cpython *py, const struct cpython_lock *lock,
		     const struct frame *frame, const struct with_block *block, void *context)
{
	const struct adder *adder = context;
	const struct mpsan_hold hold = {MPSAN_TAG(lock->address, MPSAN_LOCK_PYTHON), 0};

	(void)frame, (void)block;
	if (lock->mutex && !is_claimed(adder->t, lock->address) &&
	    (!lock->recursive || cpython_lock_owner(py, lock) == adder->t->pthread))
		adder->add(&hold, adder->t, adder->context);
}

static void see_new(const struct cpython *py, const struct cpython_lock *lock,
		    const struct frame *frame, const struct with_block *block, void *context)
{
	struct adder *adder = context;
	struct python_inside *inside = &adder->inside;
	uint64_t end = frame->values + 8 * block->depth;

	inside->lock[inside->count++ % PYTHON_INSIDE] = *lock;
	inside->end = end > inside->end ? end : inside->end;
	see_lock(py, lock, frame, block, context);
}

/* That for which a thread waits; 0: it does something else. */
static uint64_t awaited_semaphore(const struct mpsan_thread *t)
{
	uint32_t n = holds_of(t);

	for (uint32_t i = n; i-- > 0;)
		if (t->hold[i].tag & MPSAN_TAG_WANTED &&
		    MPSAN_TAG_KIND(t->hold[i].tag) == MPSAN_LOCK_SEMAPHORE)
			return MPSAN_TAG_ADDRESS(t->hold[i].tag);
	return 0;
}

void python_locks_each(struct mpsan_thread *t,
		       void (*add)(const struct mpsan_hold *hold, struct mpsan_thread *t,
				   void *context),
		       void *context)
{
	struct adder adder = {.add = add, .t = t, .context = context};
	struct python_other other = {life.pid, t->tid, t->pthread, 0, 0};
	struct python_place place;

	if (!python_has_mutexes())
		return;
	other.semaphore = awaited_semaphore(t);
	if (python_glance_again(&other, see_lock, &adder))
		return;
	place = python_held(t->pthread, &t->python_state, &t->python_free, see_new, &adder);
	other.state = t->python_state;
	python_glance(&other, &place, &adder.inside);
}

struct claims {
	struct claim *claim;
	uint32_t count;
};

/* Drops the claims on a lock that another thread than this one may have. */
static void contest(const struct claims *claims, uint64_t mutex, uint32_t tid)
{
	for (uint32_t i = 0; i < claims->count; i++)
		if (claims->claim[i].tag == MPSAN_TAG(mutex, MPSAN_LOCK_PYTHON) &&
		    claims->claim[i].tid != tid)
			claims->claim[i].flags &= ~MPSAN_LF_VERIFIED;
}

static void contest_own(const struct cpython *py, const struct cpython_lock *lock,
			const struct frame *frame, const struct with_block *block, void *context)
{
	(void)py, (void)frame, (void)block;
	if (!lock->recursive)
		contest(context, lock->address, 0);
}

void python_locks_settle(struct claim *claim, uint32_t count)
{
	struct claims claims = {claim, count};
	uint64_t state = 0, free = 0;
	bool any = false;

	for (uint32_t i = 0; i < count; i++)
		if (MPSAN_TAG_KIND(claim[i].tag) == MPSAN_LOCK_PYTHON) {
			contest(&claims, MPSAN_TAG_ADDRESS(claim[i].tag), claim[i].tid);
			any = true;
		}
	if (any)
		python_held(0, &state, &free, contest_own, &claims);
}

/* ---- where it was taken ---- */

struct taken {
	uint64_t address, object;
	uint64_t text;
};

#define LINE_BYTES 512
#define NAMED 64u

static void see_taken(const struct cpython *py, const struct cpython_lock *lock,
		      const struct frame *frame, const struct with_block *block, void *context)
{
	struct taken *taken = context;
	char text[LINE_BYTES];

	/* the outermost of several is the last one seen */
	if (lock->address == taken->address && with_text(py, frame, block, text, sizeof(text))) {
		taken->text = log_text(text);
		taken->object = lock->object;
	}
}

uint64_t python_locks_taken(struct claim *claim)
{
	struct taken taken = {.address = MPSAN_TAG_ADDRESS(claim->tag)};
	struct mpsan_thread *t = claim->holder;
	uint64_t free = 0;
	bool own = t == thread_hot;

	if (claim->flags & MPSAN_LF_PYTHON && python_present())
		python_held(own ? 0 : t->pthread, &t->python_state, own ? &free : &t->python_free,
			    see_taken, &taken);
	claim->object = taken.object;
	return taken.text;
}

bool python_locks_end(const struct claim *claim, bool seen)
{
	const void *lock = claim_lock(claim);
	struct mpsan_thread *t = claim->holder;

	if (lock_hint_known(lock) & HINT_END)
		return true;
	if (seen || MPSAN_TAG_KIND(claim->tag) != MPSAN_LOCK_SEMAPHORE || !python_present() ||
	    !python_ends_with(t->pthread, &t->python_state, MPSAN_TAG_ADDRESS(claim->tag)))
		return false;
	lock_hint_learn(lock, HINT_END);
	return true;
}

/* Once for each lock: forks in quick succession find the same ones. */
void python_locks_name(const struct claim *claim)
{
	static struct {
		uint64_t address;
		uint32_t slot;
	} named[NAMED];
	uint64_t address = MPSAN_TAG_ADDRESS(claim->tag);
	unsigned at = (unsigned)(address >> 4) % NAMED;
	struct mpsan_thread *t = claim->holder;
	char text[LINE_BYTES];

	if (!(claim->flags & MPSAN_LF_PYTHON) || !python_present() ||
	    (named[at].address == address && named[at].slot == life.slot))
		return;
	named[at].address = address;
	named[at].slot = life.slot;
	if (python_held_lock_name(t->pthread, &t->python_state, address, claim->object, text,
				  sizeof(text)))
		EMIT(lock_name, .lock = address, .name = log_text(text));
}

uint64_t python_locks_called(struct claim *claim)
{
	struct mpsan_thread *t = claim->holder;
	bool own = t == thread_hot;
	char text[LINE_BYTES];

	return claim->flags & MPSAN_LF_PYTHON && python_present() &&
			       python_called(own ? 0 : t->pthread, &t->python_state,
					     MPSAN_TAG_ADDRESS(claim->tag), text, sizeof(text),
					     &claim->object) ?
		       log_text(text) :
		       0;
}

/* ---- waits ---- */

/* A program that has loaded nothing since its start may not have been asked for its Python yet. */
uint64_t python_locks_awaited(const void *semaphore)
{
	static bool looked;

	if (!__atomic_load_n(&looked, __ATOMIC_RELAXED)) {
		__atomic_store_n(&looked, true, __ATOMIC_RELAXED);
		modules_update();
	}
	return python_parked(semaphore);
}

static void see_own(const struct cpython *py, const struct cpython_lock *lock,
		    const struct frame *frame, const struct with_block *block, void *context)
{
	struct taken *taken = context;

	(void)py, (void)frame, (void)block;
	if (lock->address == taken->address && !lock->recursive)
		taken->text = 1;
}

bool python_locks_own(uint64_t mutex)
{
	struct taken taken = {.address = mutex};
	uint64_t state = 0, free = 0;

	python_held(0, &state, &free, see_own, &taken);
	return taken.text;
}

/* ---- taken by acquire() ---- */

#define NAME_BYTES 128
#define STACK_BYTES 4096

/* Records that the thread has the lock, or probably. */
static uint64_t state_taker(uint64_t mutex, const struct python_taker *taker)
{
	/* too large for the stacks that hooks run on; the child's only thread uses it */
	static struct {
		struct walk walk;
		char text[STACK_BYTES];
	} room LARGE;
	char name[NAME_BYTES] = "";
	uint64_t stack = 0, taken = 0;

	if (python_taker_text(taker, room.text, sizeof(room.text)))
		taken = log_text(room.text);
	if (taker->glance) {
		python_glance_stack(taker->glance, &room.walk, room.text, sizeof(room.text));
		python_glance_name(taker->glance, name, sizeof(name));
		stack = log_text(room.text);
	}
	return EMIT(held, .lock = mutex, .kind = MPSAN_LOCK_PYTHON,
		    .flags = MPSAN_LF_PYTHON | MPSAN_LF_VERIFIED |
			     (taker->certain ? 0 : MPSAN_LF_PROBABLY),
		    .holder = taker->own ? thread_hot->tid : taker->tid, .python = stack,
		    .thread_name = *name ? log_text(name) : 0, .taken = taken);
}

/* A wait of the only thread of a forked child for a lock that no `with` block names. */
static uint64_t prove_taken(uint64_t mutex, uint64_t caller)
{
	struct python_taker taker;
	struct claim o = {.held_slot = life.slot};
	struct ev_wait w = {
		.lock = mutex,
		.kind = MPSAN_LOCK_PYTHON,
		.flags = MPSAN_LF_VERIFIED | MPSAN_LF_PYTHON | prove_signals(),
		.reason = MPSAN_WAIT_ORPHAN,
		.caller = caller,
	};

	if (!life.forked || !prove_is_alone() || !python_glance_taker(life.pid, mutex, &taker) ||
	    (taker.own && prove_handlers()) || !(o.held = state_taker(mutex, &taker)))
		return 0;
	w.flags |= taker.certain ? 0 : MPSAN_LF_PROBABLY;
	w.reason = taker.own ? MPSAN_WAIT_SELF : MPSAN_WAIT_ORPHAN;
	w.owner = taker.own ? thread_hot->tid : taker.tid;
	return prove_event(&w, &o, (const void *)(uintptr_t)mutex);
}

uint64_t python_locks_prove(uint64_t mutex, uint64_t caller)
{
	const void *lock = (const void *)(uintptr_t)mutex;
	bool own = prove_is_alone() && (!sys_threaded || python_locks_own(mutex));
	const struct claim *o = own ? NULL : orphan_find(lock, MPSAN_LOCK_PYTHON);
	struct ev_wait w = {
		.lock = mutex,
		.kind = MPSAN_LOCK_PYTHON,
		.flags = MPSAN_LF_VERIFIED | MPSAN_LF_PYTHON | prove_signals(),
		.reason = own ? MPSAN_WAIT_SELF : MPSAN_WAIT_ORPHAN,
		.owner = own ? thread_hot->tid :
			 o   ? o->tid :
			       0,
		.caller = caller,
	};

	if (own && prove_handlers())
		return 0; /* a handler may release it, or wait here; the supervisor sees which */
	return own || o ? prove_event(&w, o, lock) : prove_taken(mutex, caller);
}
