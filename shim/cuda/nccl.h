/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Communicators of NCCL in this process, and the collectives that it has entered in each: records of the log, updated in place, by
 * a few stores for each call (include/mpsan_comm.h). hooks/nccl.c calls.
 *
 * A collective only queues work, so its rank waits later, in a call of CUDA: calls that may wait for other ranks are marked in the
 * thread's record, once the process has a communicator.
 */
#pragma once

#include "../../include/mpsan_comm.h"
#include "../abi/nccl.h"
#include "../intercept/hook.h"

/* This process has, or had, a communicator. */
extern bool nccl_used;

/* A call of NCCL, or one that waits for the device, on its hook's stack. */
struct nccl_call {
	struct mpsan_thread *thread; /* its record; NULL: none */
	bool outermost; /* no other such call of this thread is in progress */
};

void nccl_begin(struct nccl_call *call);
void nccl_end(struct nccl_call *call);

/* A collective, or a message to or from a peer, that is being entered. */
struct nccl_entry {
	struct mpsan_comm *comm; /* NULL: nothing was recorded */
	uint32_t *message; /* the count of messages; NULL: a collective */
};

struct nccl_entry nccl_enter(const struct nccl_call *call, ncclComm_t comm,
			     struct mpsan_comm_call what);
/* A group failed: what was entered in this process is not known any more. */
void nccl_lose_count(void);
/* The process launches a graph, which may have captured collectives. */
void nccl_launches_graph(void);
/* The call failed: it was not entered. */
void nccl_take_back(const struct nccl_entry *entry);

/*
 * The process joins a communicator: before the call, and after it, with what it made. NULL: it cannot
 * be recorded.
 */
struct mpsan_comm *nccl_joins(const struct nccl_call *call, uint64_t id, int rank, int ranks);
void nccl_joined(struct mpsan_comm *record, ncclComm_t comm, ncclResult_t result);
/* The communicator is about to end, and has ended. */
struct mpsan_comm *nccl_leaves(ncclComm_t comm);
void nccl_left(struct mpsan_comm *record, uint64_t state);
/* Its record; NULL: none. */
struct mpsan_comm *nccl_find(ncclComm_t comm);

/* In a forked child: communicators are its parent's. */
void nccl_forked(void);
