/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides when rules run. The time of a trigger follows from the records alone, so the order is the
 * same live and afterwards. Neighbour: reader.c announces the triggers.
 */
#include "reader.h"

#include "../rules/deadlock.h"
#include "collect_cuda.h"
#include "pool_threads.h"

/* Whether nobody saw when its process ended, which was killed in it: with all others, without a supervisor. */
static bool has_unseen_end(const struct reader *reader, const struct fact_wait *wait)
{
	const struct fact_process *process = &reader->facts.processes[wait->at.by];

	return process->gone && !process->stayed && !process->slot->end_ns;
}

/* When a wait ended: it returned, or its process ended or executed another program. 0: it lasts, or nobody saw that. */
static uint64_t wait_stop_ns(const struct reader *reader, const struct fact_wait *wait)
{
	const struct fact_process *process = &reader->facts.processes[wait->at.by];
	uint64_t stop = wait->end_ns, last_exec = process->slot->exec_ns;

	if (process->gone && !has_unseen_end(reader, wait))
		stop = fact_sooner(stop, process->gone_ns);
	if (process->exec_ns > wait->at.time_ns)
		stop = fact_sooner(stop, process->exec_ns);
	if (last_exec > wait->at.time_ns)
		stop = fact_sooner(stop, last_exec);
	return stop;
}

static enum timing wait_timing(struct reader *reader, uint32_t index, uint64_t now,
			       uint64_t *due_ns)
{
	struct fact_wait *wait = &reader->waits.item[index];
	uint64_t stop = wait_stop_ns(reader, wait);

	/* from outside it is recorded when it is proved, which is not when it began */
	*due_ns = wait->at.time_ns + (reader->session.head->outside ? 0 : FACT_WAIT_NS);
	if (stop && stop < *due_ns)
		return TIMING_NEVER;
	if (now < *due_ns && !has_unseen_end(reader, wait))
		return reader->over ? TIMING_NEVER : TIMING_OPEN;
	wait->held = reader_find(reader, wait->ev.held_slot, wait->ev.held, EV_held);
	pool_threads_count(reader, wait);
	return TIMING_COME;
}

/* The child marks locks that its atfork handlers repaired, before fork() returns in it. */
static void look_for_repairs(struct reader *reader, const struct fact_fork *fork)
{
	struct record record;

	for (uint32_t i = fork->held_begin; i < fork->held_end; i++) {
		struct fact_held *held = &reader->helds.item[i];

		if (reader_record(reader, held->at.slot, held->at.pos, EV_held, &record))
			held->repaired = record.later & MPSAN_LATER_REPAIRED;
	}
}

static enum timing fork_timing(struct reader *reader, uint32_t index, uint64_t now,
			       uint64_t *due_ns)
{
	const struct fact_fork *fork = &reader->forks.item[index];
	const struct fact_process *child;

	if (!fact_how_copies(fork->ev.how))
		return TIMING_NEVER;
	if (fork->child >= reader->session.slots)
		return reader->over ? TIMING_NEVER : TIMING_OPEN;
	child = &reader->processes[fork->child];
	look_for_repairs(reader, fork);
	*due_ns = fact_fate_ns(&reader->facts, fork);
	if (fact_fate(&reader->facts, fork) != FATE_LIVES)
		return TIMING_COME;
	if (now >= child->slot->birth_ns + FACT_CHILD_NS)
		return TIMING_COME;
	return reader->over ? TIMING_NEVER : TIMING_OPEN;
}

static enum timing unlock_timing(struct reader *reader, uint32_t index, uint64_t *due_ns)
{
	struct fact_unlock *unlock = &reader->unlocks.item[index];

	*due_ns = unlock->at.time_ns;
	unlock->held = reader_find(reader, unlock->ev.held_slot, unlock->ev.held, EV_held);
	return TIMING_COME;
}

/* The wait lasted as long as the supervisor did. */
static enum timing draft_timing(const struct reader *reader, struct fact_deadlock *deadlock)
{
	if (deadlock->over_ns || reader->session.head->end_ns)
		return TIMING_NEVER;
	if (!session_lost_supervisor(&reader->session))
		return reader->over ? TIMING_NEVER : TIMING_OPEN;
	if (reader->session.head->seen_ns > deadlock->at.time_ns)
		deadlock->until_ns = reader->session.head->seen_ns;
	return TIMING_COME;
}

/* A deadlock explained by a wait is that wait's proof: triggers the wait now, perhaps again. */
static enum timing deadlock_timing(struct reader *reader, uint32_t index, uint64_t *due_ns)
{
	struct fact_deadlock *deadlock = &reader->deadlocks.item[index];
	uint32_t wait = deadlock_wait(&reader->facts, deadlock);

	*due_ns = deadlock->at.time_ns;
	if (deadlock->ev.cause == MPSAN_DEADLOCK_DRAFT)
		return draft_timing(reader, deadlock);
	if (wait == FACT_NONE)
		return TIMING_COME;
	if (!reader->waits.item[wait].proved) {
		reader->waits.item[wait].proved = true;
		*ARRAY_ADD(&reader->open) = (struct trigger){TRIGGER_WAIT, wait};
	}
	return TIMING_NEVER;
}

/* Other logs may still have records of the same time. */
static enum timing event_timing(struct reader *reader, uint32_t index, uint64_t now,
				uint64_t *due_ns)
{
	const struct fact_event *event = &reader->events.item[index];

	*due_ns = event_time(event) + EVENT_SETTLE_NS;
	if (now < *due_ns && !reader->over)
		return TIMING_OPEN;
	if (event->type == EV_none) /* retracted */
		return TIMING_NEVER;
	return TIMING_COME;
}

static enum timing ended_timing(struct reader *reader, uint32_t slot, uint64_t now,
				uint64_t *due_ns)
{
	const struct fact_process *process = &reader->processes[slot];

	if (!process->gone)
		return TIMING_OPEN;
	*due_ns = process->gone_ns + ENDED_GRACE_NS;
	if (now < *due_ns && !reader->over)
		return TIMING_OPEN;
	return TIMING_COME;
}

enum timing trigger_timing(struct reader *reader, const struct trigger *trigger, uint64_t now,
			   uint64_t *due_ns)
{
	switch (trigger->kind) {
	case TRIGGER_EVENT:
		return event_timing(reader, trigger->index, now, due_ns);
	case TRIGGER_ENDED:
		return ended_timing(reader, trigger->index, now, due_ns);
	case TRIGGER_CLOSE:
		*due_ns = UINT64_MAX;
		return reader->over ? TIMING_COME : TIMING_OPEN;
	case TRIGGER_FORK:
		return fork_timing(reader, trigger->index, now, due_ns);
	case TRIGGER_WAIT:
		return wait_timing(reader, trigger->index, now, due_ns);
	case TRIGGER_UNLOCK:
		return unlock_timing(reader, trigger->index, due_ns);
	case TRIGGER_DEADLOCK:
		return deadlock_timing(reader, trigger->index, due_ns);
	case TRIGGER_ORDER:
		*due_ns = reader->orders.item[trigger->index].at.time_ns;
		return TIMING_COME;
	case TRIGGER_KEPT_LOCK:
		*due_ns = reader->lefts.item[trigger->index].at.time_ns;
		return TIMING_COME;
	default:
		return cuda_trigger_timing(reader, trigger, now, due_ns);
	}
}
