/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Locks without an owner: what threads held that a fork did not copy. The list is private memory that the
 * parent fills and the child inherits. Neighbours: fork.c fills it, wait_proof.c asks before a wait.
 */
#ifndef MPSAN_ORPHANS_H
#define MPSAN_ORPHANS_H

#include "claim.h"

struct orphans {
	uint32_t count;
	struct claim claim[CLAIMS_LEFT];
};

/* In the parent: a grandchild is left without the owners that its parent was left without already. */
void orphans_inherit(struct orphans *list);

/* In the child: the list of the fork that made it; NULL: not known. */
void orphans_born(struct orphans *list);

/* In the child, behind its handlers: those may have released or re-initialised locks. */
void orphans_drop_repaired(void);

/* A lock was initialised: in a forked child nobody's hold on it from before counts any more. */
void orphans_lock_made(const void *lock, uint64_t caller);

/* In a forked child: the claim of a thread left behind on this lock, of this kind (0: any); NULL: none. */
const struct claim *orphan_find(const void *lock, unsigned kind);

/*
 * The claims one by one, NULL behind the last; orphan_drop takes one out that has turned out to be free, and
 * the last takes its place.
 */
const struct claim *orphan_at(uint32_t index);
void orphan_drop(uint32_t index);

#endif
