/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the rule for what one process sees by itself. */
#include "proof_rule.h"

#include "../../include/mpsan_event.h"

#define SIGNAL_BUS 7u
#define NOTHING_LEFT (1u << 20) /* bytes */

enum rule_id proof_rule_cuda(uint64_t kind, uint64_t result)
{
	if (kind == MPSAN_CUDA_QUERY)
		return result ? RULE_COUNT : RULE_cuda_stale_query;
	return result ? RULE_cuda_in_forked_child : RULE_COUNT;
}

const char *proof_grade(enum rule_id rule)
{
	return rule == RULE_cuda_stale_query ? "note" : "error";
}

enum rule_id proof_rule_unlock(uint64_t flags)
{
	return flags & MPSAN_LF_SHARED ? RULE_COUNT : RULE_fork_own_lock;
}

enum rule_id proof_rule_fault(uint64_t signal, uint64_t free)
{
	return signal == SIGNAL_BUS && free < NOTHING_LEFT ? RULE_shm_no_space : RULE_COUNT;
}

/* VMM memory stays until all have closed it; what a pool has allocated is freed by itself. */
enum rule_id proof_rule_free(uint64_t memory)
{
	return memory == MPSAN_MEMORY_VMM || memory == MPSAN_MEMORY_POOL ?
		       RULE_COUNT :
		       RULE_ipc_freed_while_open;
}

enum rule_id proof_rule_fetch(bool ended_by_receiver)
{
	return ended_by_receiver ? RULE_COUNT : RULE_shm_sender_exited;
}
