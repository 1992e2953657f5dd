/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which ranks of NCCL's communicators wait in vain: what each has entered is known from its process's log, so it is known for
 * which ranks a collective waits. Pure. Neighbours: stuck.h does the same from frames; nccl.h looks at
 * processes.
 */
#pragma once

#include "../../include/mpsan_comm.h"
#include "stuck.h"

/* A process of the job. */
struct comm_process {
	enum rank_state state; /* RANK_WAITS: for the device or for ranks; not RANK_MISSING */
	const char *place; /* where it waits: "train.py:88"; "": unknown */
	const char *
		what; /* of the last three states, behind "rank 2 "; of one that waits in a collective
			     that is none of NCCL's, too; NULL: in one of NCCL's */
	const uint32_t *needs; /* of such a collective: processes that must take part */
	uint32_t needs_count;
	bool stuck; /* set by comms_find: it waits, and what it waits for will not come */
};

/* One rank of a communicator. */
struct comm_rank {
	uint64_t comm;
	uint32_t rank, ranks;
	uint32_t process;
	bool left; /* it has destroyed or aborted its part */
	bool joins; /* it waits for the others to join */
	bool absent; /* it has not begun to: only its process is known */
	bool graphs; /* its process launches graphs, whose collectives are counted once */
	struct mpsan_comm_call call, message; /* the newest; number 0: none */
	const struct mpsan_comm_peer *peer; /* messages, by rank */
	uint32_t peers; /* length of that; 0: unknown */
	/* Set by comms_find. */
	bool waits; /* in `in`, for a rank that will not come */
	bool lacked; /* another one waits for it */
	bool sure; /* and that cannot have ended: it has entered less, and others need it for that */
	struct mpsan_comm_call in;
};

struct comms {
	struct comm_process *process;
	uint32_t processes;
	struct comm_rank *rank; /* sorted by comms_sort */
	uint32_t ranks;
};

void comms_sort(struct comms *comms);

/* Returns how many processes are stuck. */
uint32_t comms_find(struct comms *comms);

/*
 * "communicator of 4 ranks: ranks 0, 1 and 3 wait in all_reduce #12 (f32, 1024 elements) at train.py:88; rank 2 has
 * entered 11 collectives only, and ended with status 1". The caller frees it.
 */
char *comms_text(const struct comms *comms);
