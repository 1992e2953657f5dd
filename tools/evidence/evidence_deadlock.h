/*
 * The part of a story that tells of a deadlock: who waits for what, held by whom, thread by thread.
 * Neighbours: evidence.h, callsite.h; the supervisor stated the facts (deadlocks.h).
 */
#ifndef MPSAN_EVIDENCE_DEADLOCK_H
#define MPSAN_EVIDENCE_DEADLOCK_H

#include "callsite.h"

/* Appends a step for each blocked thread of the deadlock. */
void deadlock_steps(const struct evidence_context *ctx, const struct fact_deadlock *deadlock,
		    json_t *steps);

/* "thread A waits for mutex X, held by thread B; thread B waits ...": the circle, or the first ones. */
char *deadlock_text(const struct evidence_context *ctx, const struct fact_deadlock *deadlock);

/*
 * What one blocked thread waits for, and where the owner took it: NULL when not known. Both are
 * owned by the caller.
 */
char *deadlock_awaited(const struct evidence_context *ctx, const struct fact_blocked *blocked);
char *deadlock_taken(const struct evidence_context *ctx, const struct fact_blocked *blocked);

/* Whose death made the deadlock, and how it ended; owned by the caller. */
char *deadlock_dead(const struct evidence_context *ctx, const struct fact_deadlock *deadlock);
char *deadlock_dead_end(const struct evidence_context *ctx, const struct fact_deadlock *deadlock);

/* What is the same in every run, whichever thread of the circle was seen first. */
void deadlock_hash(const struct evidence_context *ctx, const struct fact_deadlock *deadlock,
		   uint64_t *hash);

#endif
