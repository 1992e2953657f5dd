/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Orphaned locks: held at a fork by threads that were not copied. The list is private memory that
 * the parent fills and the child inherits. fork.c fills it, wait_proof.c checks it before a wait.
 */
#pragma once

#include "claim.h"

struct orphans {
	uint32_t count;
	struct claim claim[CLAIMS_LEFT];
};

/*
 * In the parent: adds its own orphans, because a grandchild also lacks the owners that its parent
 * lacked.
 */
void orphans_inherit(struct orphans *list);

/* In the child: sets the list of the fork that created it; NULL: unknown. */
void orphans_born(struct orphans *list);

/* In the child, after its handlers: drops locks that these released or reinitialised: those are no orphans. */
void orphans_drop_repaired(void);
/* In a child with Python: does so once the callbacks of os.register_at_fork have run. */
void orphans_forked(bool child);
void orphans_exit(void);

/* A lock was initialised: in a forked child earlier holds on it no longer count. */
void orphans_lock_made(const void *lock, uint64_t caller);

/*
 * In a forked child: the claim of a thread that was not copied on this lock, of this kind (0: any);
 * NULL: none.
 */
const struct claim *orphan_find(const void *lock, unsigned kind);
/* Whether there is one of this kind. */
bool orphans_have(unsigned kind);

/*
 * The claims by index, NULL after the last. orphan_drop removes one that turned out to be free; the
 * last one takes its place.
 */
const struct claim *orphan_at(uint32_t index);
void orphan_drop(uint32_t index);
