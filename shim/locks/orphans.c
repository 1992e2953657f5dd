/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The claims of threads that a fork did not copy: found by address, dropped when they turn out to
 * be free.
 */
#include "orphans.h"

#include "../intercept/hook.h"
#include "../python/python.h"
#include "../record/lock_hints.h"
#include "../record/log.h"
#include "../record/state.h"
#include "../record/thread.h"
#include "fork_context.h"

STATE static struct orphans *left_behind; /* in a child: of the fork that created it */

void orphans_born(struct orphans *list)
{
	left_behind = list;
}

/* A grandchild also lacks the owners that its parent lacked. */
void orphans_inherit(struct orphans *list)
{
	for (uint32_t i = 0; left_behind && i < left_behind->count && list->count < CLAIMS_LEFT;
	     i++)
		list->claim[list->count++] = left_behind->claim[i];
}

static void mark_repaired(const struct claim *c)
{
	if (c->held)
		log_mark(c->held_slot, c->held, MPSAN_LATER_REPAIRED);
}

/* Whether the Lock or RLock has another semaphore than at the fork, as _at_fork_reinit() gives it. */
static bool is_replaced(const struct claim *c, const struct cpython_lock_object *now)
{
	return c->before.word == MPSAN_TAG_ADDRESS(c->tag) && now->type == c->before.type &&
	       now->word != c->before.word;
}

/*
 * Whether a variable that named the lock names another one now, as far as the number of references tells. Such a lock is not
 * told as held, but its claim stays: a thread that still reaches it waits forever.
 */
static bool is_dropped(const struct claim *c, const struct cpython_lock_object *now)
{
	return now->references && now->references < c->before.references;
}

void orphans_drop_repaired(void)
{
	struct orphans *list = left_behind;
	uint32_t kept = 0;

	if (!list)
		return;
	claims_verify(list->claim, list->count);
	for (uint32_t i = 0; i < list->count; i++) {
		const struct claim *c = &list->claim[i];
		struct cpython_lock_object now = python_lock_object(c->object);
		bool held = c->flags & MPSAN_LF_VERIFIED && !is_replaced(c, &now);

		if (!held || is_dropped(c, &now))
			mark_repaired(c);
		if (held)
			list->claim[kept++] = *c;
	}
	list->count = kept;
}

/*
 * The callbacks of os.register_at_fork run after fork() has returned, and before os.fork() has: what they have repaired is
 * seen at the next hook with a guard, or the next release of a lock, or at the end.
 */
static void settle(void)
{
	if (fork_context_in_call())
		guard_next = settle;
	else
		orphans_drop_repaired();
}

void orphans_forked(bool child)
{
	if (child && left_behind && left_behind->count && python_present()) {
		guard_next = settle;
		thread_watch_releases();
	}
}

void orphans_exit(void)
{
	if (!guard_next)
		return;
	guard_next = NULL;
	orphans_drop_repaired();
}

void orphans_lock_made(const void *lock, uint64_t caller)
{
	struct orphans *list = left_behind;

	lock_hint_set(lock, caller, life.forked ? HINT_OWN : 0);
	for (uint32_t i = 0; list && i < list->count; i++) {
		if (claim_lock(&list->claim[i]) != lock)
			continue;
		mark_repaired(&list->claim[i]);
		list->claim[i--] = list->claim[--list->count];
	}
}

const struct claim *orphan_at(uint32_t index)
{
	return left_behind && index < left_behind->count ? &left_behind->claim[index] : NULL;
}

void orphan_drop(uint32_t index)
{
	left_behind->claim[index] = left_behind->claim[--left_behind->count];
}

const struct claim *orphan_find(const void *lock, unsigned kind)
{
	const struct claim *c;

	for (uint32_t i = 0; (c = orphan_at(i)); i++)
		if (claim_lock(c) == lock && (!kind || MPSAN_TAG_KIND(c->tag) == kind))
			return c;
	return NULL;
}

bool orphans_have(unsigned kind)
{
	const struct claim *c;

	for (uint32_t i = 0; (c = orphan_at(i)); i++)
		if (MPSAN_TAG_KIND(c->tag) == kind)
			return true;
	return false;
}
