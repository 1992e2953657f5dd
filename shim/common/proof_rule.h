/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which rule reports what one process sees without the others. Compiled into the library and the
 * command, so that the library's line and the report never name different rules, as with waits
 * (wait_rule.h). RULE_COUNT: none, or nothing for a line.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "wait_rule.h"

/* The function of PyTorch that fetches a tensor's memory from its sender. */
#define PROOF_FETCH_FRAME "rebuild_storage_fd"

/*
 * A call of CUDA in a child that was forked after the driver had been initialised; `kind`: enum
 * mpsan_cuda_kind. A query that succeeds misleads: RULE_cuda_stale_query.
 */
enum rule_id proof_rule_cuda(uint64_t kind, uint64_t result);

/* The grade of what the library says itself: "error", or "note" for a query that only misleads. */
const char *proof_grade(enum rule_id rule);

/* An unlock that failed because the fork changed the owner's TID; `flags`: of the lock. */
enum rule_id proof_rule_unlock(uint64_t flags);

/* A signal in a shared mapping, whose file system had so many bytes free a moment later. */
enum rule_id proof_rule_fault(uint64_t signal, uint64_t free);

/* Device memory (enum mpsan_memory) that was freed while another process had it open. */
enum rule_id proof_rule_free(uint64_t memory);

/*
 * A tensor that could not be fetched because its sender has ended: an error unless the receiver
 * itself has ended it, as Pool.terminate() does.
 */
enum rule_id proof_rule_fetch(bool ended_by_receiver);
