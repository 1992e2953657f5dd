/*
 * Which rule speaks of a wait. Several could: ../wait_rule.c alone chooses, so that a wait is told
 * once, by the rule that says most about it; here is what it asks of facts. Neighbours: rule.h, ../rules/.
 */
#include "rule.h"

/* A handler kept this very lock in this process before. */
static bool was_left(const struct facts *facts, const struct fact_wait *wait)
{
	return fact_left_before(facts, wait) != FACT_NONE;
}

/* Between fork and exec, in a child for which subprocess has a preexec_fn. */
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
