/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of a finding's evidence about a deadlock: which thread waits for what, owned by whom.
 * Neighbours: evidence.h, callsite.h; the supervisor records the facts (deadlocks.h).
 */
#pragma once

#include "callsite.h"

/* Appends a step for each blocked thread of the deadlock. */
void deadlock_steps(const struct evidence_context *ctx, const struct fact_deadlock *deadlock,
		    json_t *steps);

/* Sets the arguments that this message about a deadlock has. The deadlock has a thread. */
void deadlock_args(const struct evidence_context *ctx, const struct fact_deadlock *deadlock,
		   const char *message, json_t *args);

/* What a blocked thread waits for; the caller frees it. */
char *deadlock_awaited(const struct evidence_context *ctx, const struct fact_blocked *blocked);

/*
 * Mixes what is equal in every run into the fingerprint, whichever thread of the cycle was seen
 * first.
 */
void deadlock_hash(const struct evidence_context *ctx, const struct fact_deadlock *deadlock,
		   uint64_t *hash);

/* Where a thread took the lock that it waits for itself, as far as that is known. */
void deadlock_hold(const struct evidence_context *ctx, const struct fact_blocked *blocked,
		   struct callsite *holder);
