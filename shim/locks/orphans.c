/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The claims of threads that a fork did not copy: found by address, dropped when they turn out to
 * be free.
 */
#include "orphans.h"

#include "../intercept/hook.h"
#include "../record/lock_hints.h"
#include "../record/log.h"
#include "../record/state.h"

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

/* Marks the claim as repaired in the parent's record, while that is still mapped here. */
static void mark_repaired(const struct claim *c)
{
	bool parents = c->held && c->held_slot + 1 == life.self->parent && log_is_inherited();
	struct mpsan_record *r = parents ? log_at(c->held) : NULL;

	if (r)
		__atomic_store_n(&r->later, MPSAN_LATER_REPAIRED, __ATOMIC_RELEASE);
}

/* Drops claims on locks that child handlers released or reinitialised: those are no orphans. */
void orphans_drop_repaired(void)
{
	struct orphans *list = left_behind;
	uint32_t kept = 0;

	if (!list)
		return;
	claims_verify(list->claim, list->count);
	for (uint32_t i = 0; i < list->count; i++) {
		if (list->claim[i].flags & MPSAN_LF_VERIFIED)
			list->claim[kept++] = list->claim[i];
		else
			mark_repaired(&list->claim[i]);
	}
	list->count = kept;
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
