/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chooses the rule that reports a wait. Several could; shim/common/wait_rule.c decides, for the
 * library as well. This file looks up what it needs to know.
 */
#include "rule.h"

/* Whether an atfork handler left this lock held in this process before. */
static bool was_left(const struct facts *facts, const struct fact_wait *wait)
{
	return fact_left_before(facts, wait) != FACT_NONE;
}

/* Whether the process is between fork and exec in a child with a preexec_fn. */
static bool is_preexec(const struct facts *facts, const struct fact_wait *wait)
{
	uint32_t fork = fact_fork_behind(facts, FACT_NONE, wait->at.by);

	return fork != FACT_NONE && facts->forks[fork].ev.flags & MPSAN_FORK_PREEXEC;
}

enum rule_id rule_of_wait(const struct facts *facts, const struct fact_wait *wait)
{
	return wait_rule(&(struct wait_case){
		.kind = wait->ev.kind,
		.flags = wait->ev.flags,
		.reason = wait->ev.reason,
		.was_left = was_left(facts, wait),
		.preexec = is_preexec(facts, wait),
		.in_pool = wait->in_library && wait->pool_threads,
	});
}
