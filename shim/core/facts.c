/*
 * Questions that several rules ask of the facts. Pure: every answer follows from the records
 * alone, so it is the same while the program runs and years later. Neighbours: facts.h, rules.c.
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
		if (facts->forks[i].child == by && (stated == FACT_NONE || fact_held_at(facts, held, i)))
			return i;
	return stated < facts->fork_count ? stated : FACT_NONE;
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
		return flags & MPSAN_LF_VERIFIED;
	case MPSAN_LOCK_SEMAPHORE:
		return flags & MPSAN_LF_MUTUAL && flags & MPSAN_LF_VERIFIED;
	case MPSAN_LOCK_CUSTOM:
		return true;
	default:
		return false;
	}
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
