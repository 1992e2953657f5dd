/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranks of NCCL that wait for others that will not come: those wait in other collectives, have ended, or are
 * deadlocked themselves. Neighbours: comms.h solves, ranks.h has what is known from frames,
 * ../waitgraph/missing_ranks.h tells.
 */
#pragma once

#include "comms.h"
#include "ranks.h"

/* A process that has been in a communicator, or may be waited for by one that was. */
struct nccl_process {
	uint32_t slot;
	uint32_t index; /* of the thread that waits, or its main one; SNAPSHOT_NONE */
	bool arrives; /* it waits, but not for long */
	char *place, *what; /* owned */
	uint32_t *needs; /* owned */
};

/* All of them, in the order of `comms.process`. */
struct nccl {
	struct snapshot *snapshot;
	struct ranks *ranks;
	uint64_t since_ns;
	struct comms comms;
	struct mpsan_comm **record; /* owned copies, which `comms.rank` refers to */
	uint32_t records;
	ARRAY(struct nccl_process) member;
	ARRAY(struct comm_process) process;
};

/*
 * Looks at the processes of all communicators: whether some have waited in vain since that time, and are not told yet. Call
 * it for each snapshot, after ranks_look, and then nccl_close.
 */
bool nccl_find(struct nccl *nccl, struct snapshot *snapshot, struct ranks *ranks,
	       uint64_t since_ns);
void nccl_close(struct nccl *nccl);
void nccl_mark_told(struct nccl *nccl);

/* Its place in `member`; adds it. */
uint32_t nccl_process_of(struct nccl *nccl, uint32_t slot);
/* Adds those that have not joined a communicator for which others wait; part of nccl_find. */
void nccl_find_absent(struct nccl *nccl);

/* Whether one of those that are waited for has ended, or is proved to wait for ever. */
bool nccl_is_certain(const struct nccl *nccl);
/* The slot + 1 of one that has ended; 0: none has. */
uint64_t nccl_ended(const struct nccl *nccl);
