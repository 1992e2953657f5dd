/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts about a long wait without a proof: who could still end it, and which rule it resembles.
 * Neighbours: evidence_deadlock.h has the waits themselves, tools/rules/locks/hang.c the sentence.
 */
#pragma once

#include "callsite.h"

/*
 * Whether a thread of a long wait does not wait for others of the job: it sleeps, or serves
 * somebody outside, and could act. `index`: of that thread among all blocked ones.
 */
bool hang_is_bystander(const struct fact_deadlock *deadlock, const struct fact_blocked *blocked,
		       uint32_t index);

/*
 * "; what could still end it: thread A, which woke up 58 times ...; likely
 * join-before-drain, unless one of these acts", or "". The caller frees it.
 */
char *hang_bystanders(const struct evidence_context *ctx, const struct fact_deadlock *deadlock);

/* ---- who has the other end of the pipe or connection at which a thread waits; the caller frees them ---- */

/* " (the reader itself still has the pipe's write end open, so ...)", or "". */
char *hang_open_end(const struct evidence_context *ctx, const struct fact_blocked *blocked);

/* " (fd 3, whose other end is open in process 12 (fd 4))", or "". */
char *hang_open_by(const struct evidence_context *ctx, const struct fact_blocked *blocked);

/* The same of one that reads, if possible of the one for whose end the first one waits. */
char *hang_reader_end(const struct evidence_context *ctx, const struct fact_deadlock *deadlock);
/* Who that is: "which", or "while process 12" where it is not the one for whose end the first one waits. */
char *hang_reader(const struct evidence_context *ctx, const struct fact_deadlock *deadlock);
