/* SPDX-License-Identifier: Apache-2.0 */
/* Finds locks that guard uses among the calling thread's claims, and marks the claims. */
#include "use_gates.h"

#include "../intercept/sys.h"
#include "../locks/claim.h"
#include "../record/thread.h"

/*
 * Whether a lock that is claimed keeps others out. A semaphore that serves as a signal leaves a claim, too: a lock begins
 * with the value 1, or was posted by its taker before, and by nobody else.
 */
static bool keeps_out(const struct mpsan_hold *hold)
{
	const void *lock = (const void *)(uintptr_t)MPSAN_TAG_ADDRESS(hold->tag);
	unsigned kind = MPSAN_TAG_KIND(hold->tag), known;

	if (hold->tag & MPSAN_TAG_WANTED)
		return false;
	if (kind != MPSAN_LOCK_SEMAPHORE)
		return kind == MPSAN_LOCK_MUTEX || kind == MPSAN_LOCK_RWLOCK_WRITE;
	known = lock_hint_known(lock);
	return known & (HINT_ONE | MPSAN_LF_MUTUAL) && !(known & MPSAN_LF_HANDOFF);
}

/* What a claim's memory says of it; 0: it is not held, or not process-shared. */
static uint64_t object_of(const struct mpsan_hold *hold, uint32_t tid)
{
	struct claim claim = {.tag = hold->tag, .caller = hold->caller, .tid = tid};

	claims_verify(&claim, 1);
	return claim.flags & MPSAN_LF_SHARED && claim.flags & MPSAN_LF_VERIFIED ?
		       sys_shared_object(claim_lock(&claim)) :
		       0;
}

void use_gates_take(struct use_gates *gates)
{
	struct mpsan_thread *t = thread_hot;
	uint32_t i = t && t != &thread_none ? t->holds_used : 0, found = 0;

	*gates = (struct use_gates){0};
	if (i > MPSAN_HOLDS)
		i = MPSAN_HOLDS;
	while (i-- && found < GATES) {
		uint64_t object = keeps_out(&t->hold[i]) ? object_of(&t->hold[i], t->tid) : 0;

		if (!object)
			continue;
		gates->gate[found].lock =
			(const void *)(uintptr_t)MPSAN_TAG_ADDRESS(t->hold[i].tag);
		gates->gate[found++].object = object;
		t->hold[i].tag |= MPSAN_TAG_USED;
	}
}

/* A release drops the claim with its mark: one that is marked was there at the latest use. */
static bool is_still_held(const void *lock, bool on)
{
	struct mpsan_hold *hold = (struct mpsan_hold *)(uintptr_t)hold_find(lock);

	if (!hold || (on && !(hold->tag & MPSAN_TAG_USED)))
		return false;
	hold->tag |= MPSAN_TAG_USED;
	return true;
}

void use_gates_keep(struct use_gates *gates, bool on)
{
	for (unsigned i = 0; i < GATES; i++)
		if (gates->gate[i].lock && !is_still_held(gates->gate[i].lock, on))
			gates->gate[i].lock = NULL;
}
