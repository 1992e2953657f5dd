/*
 * What a finding is about, for reports that draw: its lock, its segment of shared memory, or its exported memory with
 * everybody who had it open. Neighbours: evidence.h puts it into findings as `subject`.
 */
#ifndef MPSAN_EVIDENCE_SUBJECT_H
#define MPSAN_EVIDENCE_SUBJECT_H

#include "callsite.h"

struct ipc_piece;

/*
 * A new object: `kind` is lock, segment or export. Memory has `bytes`, `pid` of its owner, `begin_ns` and `end_ns` of
 * its life and `uses`: [pid, begin_ns, end_ns], a few dozen at most (`uses_left_out` counts the others). A time is null
 * where it is not known, an end also where it did not come. null: the finding is about nothing of the kind. `lock` and
 * `piece` may be NULL.
 */
json_t *subject_json(const struct evidence_context *ctx, const struct finding *finding,
		     const char *lock, const struct ipc_piece *piece);

#endif
