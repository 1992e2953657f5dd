/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of a finding's evidence about a deadlock: which thread waits for what, owned by whom.
 * Neighbours: evidence.h, callsite.h; the supervisor records the facts (deadlocks.h).
 */
#pragma once

#include "callsite.h"

/* Steps per deadlock; only damaged logs have more. */
#define DEADLOCK_STEPS 256u

/* Appends the steps of the blocked threads: see steps/alike.h. */
void deadlock_steps(const struct evidence_context *ctx, const struct fact_deadlock *deadlock,
		    json_t *steps);

/* Sets the arguments that this message about a deadlock has. The deadlock has a thread. */
void deadlock_args(const struct evidence_context *ctx, const struct fact_deadlock *deadlock,
		   const char *message, json_t *args);

/* What a blocked thread waits for; the caller frees it. */
char *deadlock_awaited(const struct evidence_context *ctx, const struct fact_blocked *blocked);

/*
 * The fix of the wait for a futex in which a deadlock ends, if its frames say what that is. NULL: they do not, or the
 * finding's rule or cause has a cure of its own.
 */
const char *deadlock_native_fix(const struct evidence_context *ctx, const struct finding *finding);

/*
 * Mixes what is equal in every run into the fingerprint, whichever thread of the cycle was seen
 * first.
 */
void deadlock_hash(const struct evidence_context *ctx, const struct fact_deadlock *deadlock,
		   uint64_t *hash);

/* Where a thread took the lock that it waits for itself, as far as that is known. */
void deadlock_hold(const struct evidence_context *ctx, const struct fact_blocked *blocked,
		   struct callsite *holder);

/* ---- between evidence_deadlock.c and steps/deadlock_steps.c ---- */

/*
 * How the waiter of an edge is named: with process and place, with its process, or alone. EDGE_OWN is
 * EDGE_PLACED after a step that says where the waiter took the lock, EDGE_NAMED is EDGE_FOREIGN with the names of processes.
 */
enum edge_style { EDGE_PLACED, EDGE_OWN, EDGE_FOREIGN, EDGE_NAMED, EDGE_PLAIN };

/* Where the thread waits; to be finished. */
void deadlock_callsite(const struct evidence_context *ctx, const struct fact_blocked *blocked,
		       struct callsite *callsite);
/* "the main thread of process 7 at f (a.py:3) waits for Lock …, held by thread 8"; the caller frees it. */
char *deadlock_edge(const struct evidence_context *ctx, const struct fact_blocked *blocked,
		    const struct callsite *callsite, enum edge_style style);
/* What is awaited, whose it is, and where that one took it; the caller frees it. */
char *deadlock_edge_awaited(const struct evidence_context *ctx, const struct fact_blocked *blocked,
			    enum edge_style style);
/* Where the owner took the lock; NULL: unknown. The caller frees it. */
char *deadlock_taken(const struct evidence_context *ctx, const struct fact_blocked *blocked);
/* The owner's process, if that has ended; NULL. */
const struct mpsan_process *deadlock_dead_process(const struct evidence_context *ctx,
						  const struct fact_deadlock *deadlock);
