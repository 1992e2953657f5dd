/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pools whose workers wait for results inside their tasks. Neighbour: ../rules/dead_ends.h.
 */
#ifndef MPSAN_TEXT_POOLS_H
#define MPSAN_TEXT_POOLS_H

#include "callsite.h"

/* "2 workers of ThreadPoolExecutor-0"; "" if there are none. The caller frees it. */
char *pools_text(const struct evidence_context *ctx, const struct fact_deadlock *deadlock);

#endif
