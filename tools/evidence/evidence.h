/*
 * Tells a finding: fills in its texts, adds the steps with their stacks, and computes its
 * fingerprint. The result is the finding of the JSON report; all other reports are rendered from
 * it. Neighbours: text_locks.h, frames.h; judge.h calls it.
 */
#ifndef MPSAN_EVIDENCE_H
#define MPSAN_EVIDENCE_H

#include "../symbols/frames.h"

/* A new JSON object without `severity` and with `count` 1. */
json_t *evidence_build(const struct reader *reader, struct frames *frames,
		       const struct finding *finding);

/* The CUDA driver of a process, in the place of a lock. */
#define EVIDENCE_DRIVER 1u

/* The address of the lock that a finding is about, 0: none. */
uint64_t evidence_lock(const struct facts *facts, const struct finding *finding);

#endif
