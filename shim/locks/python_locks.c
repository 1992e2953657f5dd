/* SPDX-License-Identifier: Apache-2.0 */
/* Claims on PyMutexes, made at a fork, and waits for them. */
#include "python_locks.h"

#include "../intercept/hook.h"
#include "../python/python.h"
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
};

static void see_lock(const struct cpython *py, const struct cpython_lock *lock,
		     const struct frame *frame, const struct with_block *block, void *context)
{
	const struct adder *adder = context;
	const struct mpsan_hold hold = {MPSAN_TAG(lock->address, MPSAN_LOCK_PYTHON), 0};

	(void)frame, (void)block;
	if (lock->mutex && (!lock->recursive || cpython_lock_owner(py, lock) == adder->t->pthread))
		adder->add(&hold, adder->t, adder->context);
}

void python_locks_each(struct mpsan_thread *t,
		       void (*add)(const struct mpsan_hold *hold, struct mpsan_thread *t,
				   void *context),
		       void *context)
{
	struct adder adder = {add, t, context};

	if (python_has_mutexes())
		python_held(t->pthread, &t->python_state, &t->python_free, see_lock, &adder);
}

static bool is_contested(const struct claim *c, const struct claim *claim, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (claim[i].tag == c->tag && claim[i].tid != c->tid)
			return true;
	return python_locks_own(MPSAN_TAG_ADDRESS(c->tag));
}

void python_locks_settle(struct claim *claim, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (MPSAN_TAG_KIND(claim[i].tag) == MPSAN_LOCK_PYTHON &&
		    is_contested(&claim[i], claim, count))
			claim[i].flags &= ~MPSAN_LF_VERIFIED;
}

/* ---- where it was taken ---- */

struct taken {
	uint64_t address;
	uint64_t text;
};

#define LINE_BYTES 512

static void see_taken(const struct cpython *py, const struct cpython_lock *lock,
		      const struct frame *frame, const struct with_block *block, void *context)
{
	struct taken *taken = context;
	char text[LINE_BYTES];

	/* the outermost of several is the last one seen */
	if (lock->address == taken->address && with_text(py, frame, block, text, sizeof(text)))
		taken->text = log_text(text);
}

uint64_t python_locks_taken(const struct claim *claim)
{
	struct taken taken = {.address = MPSAN_TAG_ADDRESS(claim->tag)};
	struct mpsan_thread *t = claim->holder;
	uint64_t free = 0;

	if (claim->flags & MPSAN_LF_PYTHON && python_present())
		python_held(t == thread_hot ? 0 : t->pthread, &t->python_state, &free, see_taken,
			    &taken);
	return taken.text;
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

uint64_t python_locks_prove(uint64_t mutex, uint64_t caller)
{
	const void *lock = (const void *)(uintptr_t)mutex;
	bool own = prove_is_alone() && (!thread_several || python_locks_own(mutex));
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

	if (own && w.flags & MPSAN_LF_SIGNALS)
		return 0; /* a handler may release it */
	return own || o ? prove_event(&w, o, lock) : 0;
}
