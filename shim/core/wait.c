/*
 * Which rule speaks of a wait. Several could: this is the only place that chooses, so that a wait
 * is told once, by the rule that says most about it. Neighbours: rule.h, ../rules/.
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

static enum rule_id rule_of_reason(const struct fact_wait *wait)
{
	switch (wait->ev.reason) {
	case MPSAN_WAIT_ORPHAN:
		if (wait->ev.kind == MPSAN_LOCK_LIBC)
			return RULE_fork_libc_lock;
		if (wait->ev.kind == MPSAN_LOCK_GUARD)
			return RULE_fork_static_init;
		return wait->ev.kind <= MPSAN_LOCK_CUSTOM ? RULE_fork_orphaned_lock : RULE_COUNT;
	case MPSAN_WAIT_OWN:
		return RULE_fork_own_lock;
	case MPSAN_WAIT_SELF:
		return RULE_self_deadlock;
	case MPSAN_WAIT_ALONE:
		return wait->in_library && wait->pool_threads ? RULE_fork_thread_pool :
								RULE_fork_lost_wakeup;
	case MPSAN_WAIT_TEAM:
		return RULE_fork_thread_pool;
	case MPSAN_WAIT_INSIDE:
		return RULE_fork_libc_lock;
	default:
		return RULE_COUNT;
	}
}

enum rule_id rule_of_wait(const struct facts *facts, const struct fact_wait *wait)
{
	if (wait->ev.flags & (MPSAN_LF_SHARED | MPSAN_LF_TIMED))
		return RULE_COUNT;
	if (wait->ev.flags & MPSAN_LF_HANDLER ||
	    (wait->ev.reason == MPSAN_WAIT_SELF && was_left(facts, wait)))
		return RULE_fork_handler_deadlock;
	if (is_preexec(facts, wait))
		return RULE_fork_preexec_fn;
	if (wait->ev.kind == MPSAN_LOCK_IMPORT)
		return RULE_fork_during_import;
	return rule_of_reason(wait);
}
