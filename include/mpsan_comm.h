/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One rank of a communicator of NCCL: the payload of a `comm` record. Its process makes it when it joins, and updates it in
 * place at each collective; it can be read by any process, and after the end of this one.
 */
#ifndef MPSAN_COMM_H
#define MPSAN_COMM_H

#include "mpsan_log.h"

/* A collective, as far as its ranks must agree. */
struct mpsan_comm_call {
	uint64_t number; /* of this rank's collectives in the communicator, from 1 */
	uint64_t elements;
	uint32_t what; /* enum mpsan_collective */
	uint32_t type; /* enum mpsan_nccl_type */
	int32_t root; /* -1: it has none */
	uint32_t tid; /* of the thread that called */
};

/* Messages to and from another rank. */
struct mpsan_comm_peer {
	uint32_t sent, received;
};

struct mpsan_comm {
	uint64_t id; /* the same for all ranks of a communicator */
	uint64_t state; /* enum mpsan_comm_state */
	uint32_t rank, ranks;
	uint64_t entered; /* collectives; the newest is in call[entered % 2] */
	struct mpsan_comm_call call[2];
	/* the newest call if that was a send or a receive, with its peer as root; else its number is 0 */
	struct mpsan_comm_call message;
	uint32_t
		graphs; /* its process has launched CUDA graphs: what they capture is counted once */
	uint32_t peers; /* in the list that follows: all its ranks, or 0 if they are too many */
	struct mpsan_comm_peer peer[];
};

#define MPSAN_COMM_PEERS 1024u

#endif
