/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ranks of torch.distributed among the processes of a session: which number each has, in which
 * collective it waits and since when. Numbers come from the process group in Python's memory, else from the
 * launcher's variables. Neighbours: collective.h reads frames, stuck.h solves, ../waitgraph/missing_ranks.h tells.
 */
#pragma once

#include "../waits/snapshot.h"
#include "collective.h"

struct native;

/* Ranks that have waited for so long are judged: a launcher has noticed by then that one has ended, and ended the others. */
#define RANKS_WAIT_NS 7000000000ull

struct rank {
	uint32_t slot; /* of its process */
	uint32_t number, world; /* world 0: it is not known to be one */
	uint64_t job; /* the same for ranks that belong together */
	bool local; /* they say that all ranks of the job are on this host */
	bool joined; /* the process group of the whole job exists */
	bool has_torch;
	bool has_met; /* it was seen in a collective */
	bool told;
	uint64_t recorded; /* hash of what rank_log.h has written; 0: nothing */
	uint64_t record_due_ns;
	uint32_t index; /* of its main thread in the snapshot; SNAPSHOT_NONE: it has ended */
	struct collective in; /* of its main thread */
	uint64_t place; /* hash of that thread's stack */
	uint64_t since_ns, since_ran_ns; /* since when it is there, and its processor time then */
	uint64_t
		busy_ns; /* when a thread of the process last used a processor for more than a moment */
	uint32_t *needs; /* ranks that must take part; NULL: all, as far as is known */
	uint32_t needs_count;
	uint64_t runs, due_ns, pause_ns; /* when it was last asked, and may be asked again */
};

struct ranks {
	ARRAY(struct rank) item;
	ARRAY(uint32_t) by_slot; /* index + 1 into item; 0: none */
	struct native *native; /* NULL until it is needed */
	ARRAY(uint64_t)
	comms_told; /* communicators of NCCL whose ranks were told to wait in vain */
	uint64_t comms_due_ns; /* when they may be looked at again */
};

/* Brings the ranks up to date with a snapshot. */
void ranks_look(struct ranks *ranks, const struct snapshot *snapshot);
void ranks_finish(struct ranks *ranks);

/* Whether the rank has waited in its collective since that time, without doing anything. */
bool rank_waits(const struct snapshot *snapshot, const struct rank *rank, uint64_t since_ns);

/* Whether one is in a collective, and was not told yet. */
bool ranks_are_open(const struct ranks *ranks);
