/* SPDX-License-Identifier: Apache-2.0 */
/* The process that has ended with what others wait for. Neighbour: ../evidence_deadlock.h. */
#pragma once

#include "../callsite.h"

/* Appends a step: what it had, how it ended, and who ended it, as far as that is known; none if no process has ended. */
void dead_owner_step(const struct evidence_context *ctx, const struct fact_deadlock *deadlock,
		     json_t *steps);

/* "; process 7 had sent it SIGKILL at stop (job.py:40)", of the signal that ended a process, or ""; the caller frees it. */
char *ended_by_text(const struct evidence_context *ctx, uint32_t slot);
