/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queries that several rules share. Pure: the answers depend on the records alone, so they are the
 * same during the run and years later. Neighbours: facts.h, rules.c.
 */
#include "facts.h"

#include <string.h>

bool fact_how_copies(uint64_t how)
{
	switch (how) {
	case MPSAN_HOW_FORK:
	case MPSAN_HOW__FORK:
	case MPSAN_HOW_CLONE:
	case MPSAN_HOW_SYSCALL:
	case MPSAN_HOW_DAEMON:
	case MPSAN_HOW_FORKPTY:
		return true;
	default:
		return false;
	}
}

static const struct fact_process *child_of(const struct facts *facts, const struct fact_fork *fork)
{
	return fork->child < facts->process_count ? &facts->processes[fork->child] : NULL;
}

enum fact_fate fact_fate(const struct facts *facts, const struct fact_fork *fork)
{
	const struct fact_process *child = child_of(facts, fork);
	uint64_t grown;

	if (!child)
		return FATE_LIVES;
	grown = child->slot->birth_ns + FACT_CHILD_NS;
	if (child->exec_ns && child->exec_ns < grown)
		return FATE_EXEC;
	return child->gone && child->gone_ns < grown ? FATE_ENDED : FATE_LIVES;
}

uint64_t fact_fate_ns(const struct facts *facts, const struct fact_fork *fork)
{
	const struct fact_process *child = child_of(facts, fork);

	if (!child)
		return 0;
	switch (fact_fate(facts, fork)) {
	case FATE_EXEC:
		return child->exec_ns;
	case FATE_ENDED:
		return child->gone_ns;
	default:
		return child->slot->birth_ns + FACT_CHILD_NS;
	}
}

bool fact_held_at(const struct facts *facts, uint32_t held, uint32_t fork)
{
	return facts->helds[held].fork == facts->forks[fork].list;
}

uint32_t fact_fork_behind(const struct facts *facts, uint32_t held, uint32_t by)
{
	uint32_t stated = held < facts->held_count ? facts->helds[held].fork : FACT_NONE;

	for (uint32_t i = facts->fork_count; i-- > 0;)
		if (facts->forks[i].child == by &&
		    (stated == FACT_NONE || fact_held_at(facts, held, i)))
			return i;
	return stated < facts->fork_count ? stated : FACT_NONE;
}

uint64_t fact_made_ns(const struct facts *facts, uint32_t slot)
{
	uint32_t fork = fact_fork_behind(facts, FACT_NONE, slot);

	return fork != FACT_NONE ? facts->forks[fork].at.time_ns :
				   facts->processes[slot].slot->birth_ns;
}

uint32_t fact_left_before(const struct facts *facts, const struct fact_wait *wait)
{
	for (uint32_t i = facts->left_count; i-- > 0;) {
		const struct fact_left *left = &facts->lefts[i];

		if (left->at.by == wait->at.by && left->ev.lock == wait->ev.lock &&
		    left->at.time_ns <= wait->at.time_ns)
			return i;
	}
	return FACT_NONE;
}

bool fact_fork_is_late(const struct facts *facts, const struct fact_fork *fork)
{
	return fork->at.by < facts->process_count &&
	       fork->at.tid != facts->processes[fork->at.by].slot->pid;
}

bool fact_held_counts(const struct fact_held *held)
{
	uint64_t flags = held->ev.flags;

	if (held->repaired || flags & (MPSAN_LF_SHARED | MPSAN_LF_HANDOFF | MPSAN_LF_WANTED))
		return false;
	switch (held->ev.kind) {
	case MPSAN_LOCK_MUTEX:
	case MPSAN_LOCK_RWLOCK_READ:
	case MPSAN_LOCK_RWLOCK_WRITE:
	case MPSAN_LOCK_SPIN:
	case MPSAN_LOCK_PYTHON:
		return flags & MPSAN_LF_VERIFIED;
	case MPSAN_LOCK_SEMAPHORE:
		return flags & MPSAN_LF_MUTUAL && flags & MPSAN_LF_VERIFIED;
	case MPSAN_LOCK_CUSTOM:
		return true;
	default:
		return false;
	}
}

static uint32_t order_list(uint32_t by, uint64_t lock)
{
	return (uint32_t)((lock ^ (uint64_t)by << 48) * 0x9e3779b97f4a7c15ull >> 52);
}

_Static_assert(FACT_ORDER_LISTS == 1u << (64 - 52), "a hash is the number of a list");

uint32_t fact_order_of(const struct facts *facts, uint32_t by, uint64_t lock)
{
	return facts->order_lists ? facts->order_lists[order_list(by, lock)] - 1 : FACT_NONE;
}

uint32_t fact_order_before(const struct facts *facts, uint32_t order)
{
	return facts->orders[order].before - 1;
}

void fact_child_enter(struct fact_process *processes, uint32_t count, uint32_t slot)
{
	uint32_t parent = processes[slot].slot->parent;
	struct fact_process *maker;

	if (processes[slot].maker || !parent || parent > count)
		return;
	maker = &processes[parent - 1];
	processes[slot].maker = parent;
	if (maker->last_child)
		processes[maker->last_child - 1].sibling = slot + 1;
	else
		maker->children = slot + 1;
	maker->last_child = slot + 1;
}

void fact_order_enter(struct fact_order *orders, uint32_t *lists, uint32_t order)
{
	uint32_t *list = &lists[order_list(orders[order].at.by, orders[order].ev.first)];

	orders[order].before = *list;
	*list = order + 1;
}

enum mpsan_wait_ends fact_wait_ends(const struct fact_wait *wait)
{
	if (wait->ev.flags & MPSAN_LF_TIMED)
		return MPSAN_ENDS_LIMIT;
	if (!wait->ev.ends_ns)
		return MPSAN_ENDS_NEVER;
	return wait->ev.flags & MPSAN_LF_CAUGHT ? MPSAN_ENDS_TIMER : MPSAN_ENDS_ALARM;
}

bool fact_wait_is_proof(const struct fact_wait *wait)
{
	return wait->proved || mpsan_wait_is_proof(&wait->ev);
}

uint32_t fact_event_of(const struct facts *facts, uint32_t slot, uint32_t type, uint32_t before)
{
	uint32_t at = before < facts->event_count ?
			      facts->events[before].before :
		      slot < facts->process_count ?
			      facts->processes[slot].event[event_fact_number(type)] :
			      0;

	while (at && facts->events[at - 1].type != type) /* it was retracted */
		at = facts->events[at - 1].before;
	return at - 1;
}

bool fact_argv_has(const struct mpsan_process *process, const char *word)
{
	uint32_t bytes = process->argv_bytes < MPSAN_ARGV_BYTES ? process->argv_bytes :
								  MPSAN_ARGV_BYTES;
	uint32_t length = strlen(word);

	for (uint32_t i = 0; i + length <= bytes; i++)
		if (!memcmp(process->argv + i, word, length))
			return true;
	return false;
}

bool fact_is_ancestor(const struct facts *facts, uint32_t slot, uint32_t other)
{
	EACH_ANCESTOR(facts, other)
		if (other == slot)
			return true;
	return false;
}
