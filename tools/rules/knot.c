/* See knot.h. */
#include "knot.h"

#include <stddef.h>

#include "../facts/roles.h"

const struct fact_blocked *knot_waiter(const struct facts *facts, const struct fact_knot *knot,
				       enum mpsan_lock_kind kind)
{
	for (uint32_t i = knot->begin; i < knot->end && i < facts->blocked_count; i++)
		if (facts->blockeds[i].ev.kind == (uint64_t)kind)
			return &facts->blockeds[i];
	return NULL;
}

static bool waits_to_be_woken(const struct ev_blocked *ev)
{
	return !ev->owner && !(ev->flags & MPSAN_LF_SHARED) &&
	       (ev->kind == MPSAN_WAIT_COND || ev->kind == MPSAN_WAIT_FUTEX ||
		ev->kind == MPSAN_WAIT_BARRIER || ev->kind == MPSAN_LOCK_SEMAPHORE);
}

/* Whether its process was forked from one with more threads, and has no other in the knot. */
static bool is_left(const struct facts *facts, const struct fact_knot *knot, uint32_t index)
{
	uint32_t by = facts->blockeds[index].at.by, fork = fact_fork_behind(facts, FACT_NONE, by);

	if (fork == FACT_NONE || facts->forks[fork].ev.threads < 2)
		return false;
	for (uint32_t i = knot->begin; i < knot->end && i < facts->blocked_count; i++)
		if (i != index && facts->blockeds[i].at.by == by)
			return false;
	return true;
}

const struct fact_blocked *knot_left_child(const struct facts *facts, const struct fact_knot *knot)
{
	if (knot->ev.cause != MPSAN_KNOT_DEAD_END)
		return NULL;
	for (uint32_t i = knot->begin; i < knot->end && i < facts->blocked_count; i++)
		if (waits_to_be_woken(&facts->blockeds[i].ev) && is_left(facts, knot, i))
			return &facts->blockeds[i];
	return NULL;
}

const struct fact_blocked *knot_sufferer(const struct facts *facts, const struct fact_knot *knot)
{
	const struct fact_blocked *left = knot_left_child(facts, knot);

	if (left)
		return left;
	return knot->begin < knot->end && knot->begin < facts->blocked_count ?
		       &facts->blockeds[knot->begin] :
		       NULL;
}

static bool is_helper(const struct facts *facts, uint32_t by)
{
	const struct mpsan_process *process =
		by < facts->process_count ? facts->processes[by].slot : NULL;

	return process && role_text(role_of(process));
}

/* Python's own helpers always wait at a pipe: nobody owes them anything. */
static bool worker_reads(const struct facts *facts, const struct fact_knot *knot)
{
	for (uint32_t i = knot->begin; i < knot->end && i < facts->blocked_count; i++)
		if (facts->blockeds[i].ev.kind == MPSAN_WAIT_PIPE_READ &&
		    !is_helper(facts, facts->blockeds[i].at.by))
			return true;
	return false;
}

/* Somebody waits for the end of a process that waits at a pipe itself. */
static enum rule_id rule_of_pipe(const struct facts *facts, const struct fact_knot *knot)
{
	if (!knot_waiter(facts, knot, MPSAN_WAIT_PROCESS))
		return RULE_COUNT;
	if (knot_waiter(facts, knot, MPSAN_WAIT_PIPE_WRITE))
		return RULE_join_before_drain;
	return worker_reads(facts, knot) ? RULE_missing_sentinel : RULE_COUNT;
}

/* Inside a libc function a thread may wait for other things than libc's own locks. */
static bool explains(const struct fact_wait *wait, const struct fact_blocked *blocked)
{
	return wait->at.by == blocked->at.by && wait->at.tid == blocked->at.tid &&
	       wait->at.time_ns <= blocked->at.time_ns && !wait->end_ns &&
	       (wait->ev.reason != MPSAN_WAIT_INSIDE || blocked->ev.kind == MPSAN_LOCK_LIBC);
}

uint32_t knot_wait(const struct facts *facts, const struct fact_knot *knot)
{
	if (knot->ev.cause == MPSAN_KNOT_LONG)
		return FACT_NONE;
	for (uint32_t i = facts->wait_count; i-- > 0;)
		for (uint32_t k = knot->begin; k < knot->end && k < facts->blocked_count; k++)
			if (explains(&facts->waits[i], &facts->blockeds[k]))
				return i;
	return FACT_NONE;
}

enum rule_id knot_rule(const struct facts *facts, const struct fact_knot *knot)
{
	enum rule_id rule = rule_of_pipe(facts, knot);

	if (!knot_sufferer(facts, knot) || knot_wait(facts, knot) != FACT_NONE)
		return RULE_COUNT;
	switch (knot->ev.cause) {
	case MPSAN_KNOT_OWNER_GONE:
		return RULE_lock_owner_killed;
	case MPSAN_KNOT_WAITER_GONE:
		return RULE_waiter_killed;
	case MPSAN_KNOT_TASK_LOST:
		return RULE_worker_lost;
	case MPSAN_KNOT_LONG:
		return RULE_hang;
	case MPSAN_KNOT_CYCLE:
	case MPSAN_KNOT_DEAD_END:
		if (rule != RULE_COUNT)
			return rule;
		return knot_left_child(facts, knot) ? RULE_fork_lost_wakeup : RULE_deadlock_cycle;
	}
	return RULE_COUNT;
}
