/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Builds a finding of the JSON report: message, steps with their stacks, fingerprint. All other
 * reports are rendered from it. Neighbours: text_locks.h, frames.h; judge.h calls it.
 */
#pragma once

#include "../symbols/frames.h"

/*
 * A new JSON object, with `severity` null and `count` 1; NULL if the finding's records are missing.
 */
json_t *evidence_build(const struct reader *reader, struct frames *frames,
		       const struct finding *finding);

/* Stands for the CUDA driver of a process instead of a lock's address. */
#define EVIDENCE_DRIVER 1u

/* The address of the lock that a finding is about; 0: none. */
uint64_t evidence_lock(const struct facts *facts, const struct finding *finding);
