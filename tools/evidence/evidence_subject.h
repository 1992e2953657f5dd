/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a finding is about, for reports that draw: its lock, its shared-memory segment, or its
 * exported memory with the processes that had it open. Neighbours: evidence.h puts it into findings
 * as `subject`.
 */
#pragma once

#include "callsite.h"

struct ipc_piece;

/*
 * A new object: `kind` is lock, segment or export. Memory has `bytes`, `pid` of its owner,
 * `begin_ns` and `end_ns` of its life and `uses`: [pid, begin_ns, end_ns], a few dozen at most
 * (`uses_left_out` counts the others). A time is null if it is unknown, an end also if it did not
 * come. The result is null if the finding is about none of these. `lock` and `piece` may be NULL.
 */
json_t *subject_json(const struct evidence_context *ctx, const struct finding *finding,
		     const char *lock, const struct ipc_piece *piece);
