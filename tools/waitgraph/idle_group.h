/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The threads under examination, shared by the parts of idle.c. Neighbours: idle.h is the interface
 * for others.
 */
#pragma once

#include <stdlib.h>

#include "../proc/calls.h"
#include "../rules/parked.h"
#include "../waits/ledger.h"
#include "../waits/pythreads.h"
#include "graph.h"

/* A condition that a thread waits for, the mutex or lock that guards it, and the code that does so; 0: unknown. */
struct idle_monitor {
	uint64_t lock, condition, place;
};

struct group {
	const struct graph *graph;
	const struct snapshot *snapshot;
	struct shared *shared; /* of a job: its process-shared locks */
	uint32_t number, count;
	bool is_job; /* all threads of the job, dead or not */
	bool ticks; /* then: one of them does not wait for others of the job */
	bool loops; /* an event loop is among them, of which nothing is known: it may be what others wait for */
	uint32_t *index; /* threads of the snapshot */
	bool *apart; /* of a job: it does not wait for others of it, but sleeps, or serves somebody outside */
	struct pythread_wait *python;
	struct idle_monitor *monitor;
	struct parked_thread *thread;
	bool *wanted;
};

static inline void group_close(struct group *group)
{
	free(group->index);
	free(group->apart);
	free(group->thread);
	free(group->wanted);
}

static inline const struct snapshot_thread *group_thread(const struct group *group, uint32_t i)
{
	return &group->snapshot->threads.item[group->index[i]];
}

static inline struct ledger_entry *group_entry(const struct group *group, uint32_t i)
{
	return ledger_of(group->snapshot, group->index[i]);
}

static inline const struct wait *group_wait(const struct group *group, uint32_t i)
{
	return &group->graph->waits->item.item[group->index[i]];
}

static inline const struct mpsan_process *group_process(const struct group *group, uint32_t slot)
{
	return &group->snapshot->reader->session.table[slot];
}

static inline const struct facts *group_facts(const struct group *group)
{
	return &group->snapshot->reader->facts;
}

static inline bool group_has(const struct group *group, uint32_t slot)
{
	for (uint32_t i = 0; i < group->count; i++)
		if (group_thread(group, i)->slot == slot)
			return true;
	return false;
}

/* Whether a thread, by its number in the group, runs an event loop. */
static inline bool idle_is_loop(const struct group *group, uint32_t i)
{
	return group_wait(group, i)->kind == MPSAN_WAIT_READY &&
	       call_is_loop(&group_thread(group, i)->call);
}

/*
 * Notes in each main thread whether it belongs to a ring of processes, or reads from one: each main thread of a ring
 * reads from another one of it. Two processes over a pair of pipes are the smallest ring. A process with a main thread
 * that does something else may be meant to send later.
 */
void idle_find_readers(const struct group *group);
/* The slot of its process's parent, which could end the wait: it has the other end; FACT_NONE: it could not. */
uint32_t idle_feeder(const struct group *group, uint32_t i);
/*
 * Whether a thread that reads from a pipe or socket wants what does not come: a program that reads its input also waits for
 * the end of it, unless an event loop of its parent sends it work.
 */
bool idle_wants_input(const struct group *group, uint32_t i);
/* Reads the stack of each thread that waits for a condition; after `python` is known. */
void idle_find_monitors(const struct group *group);
/* Whether a multiprocessing semaphore was created with value 0. */
bool idle_made_empty(const struct group *group, const struct snapshot_thread *thread);
/* Whether the wait of a thread, by its number in the group, was answered before. */
bool idle_was_sent(const struct group *group, uint32_t i, const struct pythread_wait *python);
/* Whether any process of the machine may answer it, by a name: it waits for a semaphore that is a signal. */
bool idle_serves_anybody(const struct group *group, uint32_t i);
/* Whether only threads of its own process could end the wait. */
bool idle_is_for_own(const struct group *group, uint32_t i);
/* Whether a thread or process has ended that could have answered it. */
bool idle_sender_ended(const struct group *group, uint32_t i);
/*
 * Whether an event of a main thread is left without whoever was to set it: by an exception that ended a thread of its process, if
 * the whole job stands and no handler of a signal is left; or, where there is one, by the end of the last other thread.
 */
bool idle_setter_ended(const struct group *group, uint32_t i);
/* Whether others run Python beside it: they may wait for work on purpose, whoever else failed. */
bool idle_has_company(const struct group *group, uint32_t i);
