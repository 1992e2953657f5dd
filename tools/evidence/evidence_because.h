/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What led to a wait that does not end: the exception that is its cause, and others before it. Neighbours: evidence.h,
 * ../rules/because.h.
 */
#pragma once

#include "callsite.h"

/* The finding; if it is about a deadlock whose cause is known, with that and its fix. */
struct finding because_of(const struct facts *facts, const struct finding *finding);

/*
 * Of a finding with such a cause, `causer` being its call site: puts it in front of the steps and, unless that says so of the
 * waiter, of the message, and as `cause` into the finding. Appends a step for each other process or thread of that deadlock
 * that failed before. Without such a cause, that is what the waiter cleans up after.
 */
void because_tell(const struct evidence_context *ctx, const struct finding *finding,
		  const struct callsite *causer, const struct callsite *waiter, json_t *object);
