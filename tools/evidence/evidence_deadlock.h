/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of a finding's evidence about a deadlock: which thread waits for what, owned by whom.
 * Neighbours: evidence.h, callsite.h; the supervisor records the facts (deadlocks.h).
 */
#ifndef MPSAN_EVIDENCE_DEADLOCK_H
#define MPSAN_EVIDENCE_DEADLOCK_H

#include "callsite.h"

/* Appends a step for each blocked thread of the deadlock. */
void deadlock_steps(const struct evidence_context *ctx, const struct fact_deadlock *deadlock,
		    json_t *steps);

/*
 * "thread A waits for mutex X, held by thread B; thread B waits ...": the wait-for cycle, or its
 * first edges. The caller frees it.
 */
char *deadlock_text(const struct evidence_context *ctx, const struct fact_deadlock *deadlock);

/*
 * What a blocked thread waits for, and where the owner acquired it; NULL if unknown. The caller
 * frees both.
 */
char *deadlock_awaited(const struct evidence_context *ctx, const struct fact_blocked *blocked);
char *deadlock_taken(const struct evidence_context *ctx, const struct fact_blocked *blocked);

/*
 * "; this process itself has the pipe's write end open, so ...", or "". The caller frees it.
 */
char *deadlock_open_end(const struct evidence_context *ctx, const struct fact_blocked *blocked);

/* The dead process that caused the deadlock, and how it ended. The caller frees them. */
char *deadlock_dead(const struct evidence_context *ctx, const struct fact_deadlock *deadlock);
char *deadlock_dead_end(const struct evidence_context *ctx, const struct fact_deadlock *deadlock);

/*
 * Mixes what is equal in every run into the fingerprint, whichever thread of the cycle was seen
 * first.
 */
void deadlock_hash(const struct evidence_context *ctx, const struct fact_deadlock *deadlock,
		   uint64_t *hash);

#endif
