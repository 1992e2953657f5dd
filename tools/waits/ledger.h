/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What was concluded of the threads of a snapshot. An entry is forgotten with its thread, and each part of it when the
 * thread does what ends that part. Neighbours: snapshot.h says since when a thread does what.
 */
#pragma once

#include "snapshot.h"

struct ledger_entry {
	struct ledger_stand { /* until it runs: snapshot_thread.still_ns */
		uint64_t since_ns;
		bool doubted; /* recorded without a proof, which may still follow */
		bool idle; /* part of an intended wait, see ../waitgraph/idle.h */
		bool proved; /* to wait for ever, by a finding; see ../ps/ps_proof.c */
		/* by turn_taking.c: TID of the thread whose turn it is before its own, 0: none; that one's run count */
		uint32_t turn_of;
		uint64_t turn_runs;
		/* by solve.c: in the pipe to which it writes; since when so many; when last counted, 0: never */
		int bytes;
		uint64_t bytes_ns, counted_ns;
	} stand;
	struct ledger_round { /* until it comes back to the call, or leaves it: round_ns */
		uint64_t since_ns;
		bool told; /* part of a recorded deadlock, or explained by an event of its own */
	} round;
	struct ledger_call { /* until it is in another call: same_ns */
		uint64_t since_ns;
		bool gives_up; /* told, although something ends its wait */
	} call;
	struct ledger_run { /* until it is found in a call */
		uint64_t since_ns,
			busy_ns; /* time on a processor, or waiting for one, at that time */
		/* by in_vain.c: when it is looked at closely again, its loop, and how often it only tested there */
		uint64_t next_ns, loop;
		uint32_t times;
		bool native; /* a loop of native code */
	} run;
	struct ledger_rest { /* until it does more than wait, again and again: rest_ns; or than run: run.since_ns */
		uint64_t since_ns;
		bool hung; /* recorded as a long wait */
		bool examined; /* with a job at rest, by long_waits.c */
		bool pictured; /* looked at by final_state.c */
		/* by in_vain.c: what its process read and wrote, as a number; since when the same; when last asked, 0: never */
		uint64_t done, mute_ns, asked_ns;
	} rest;
	struct ledger_life { /* until it ends, or is asked again */
		bool begun; /* its start was recorded, by forked_waits.c */
		bool may_be_meant; /* part of a dead end that Ctrl-C may be meant to end, see idle.c */
		bool from_readers; /* it reads from those who read, too, see idle_group.h */
		/* by in_vain.c: pythread_gil_switches(), and since when so many, while others waited for the GIL */
		uint64_t gil, gil_ns;
		uint64_t for_peers, for_peers_ns; /* in its record, and since when; ranks/nccl.c */
		/* by retries.c: proc_transfers(), since when so many, and when last asked; its loop was recorded */
		uint64_t transfers, mute_ns, asked_ns;
		bool retries;
	} life;
};

struct ledger {
	ARRAY(struct ledger_entry) item; /* by thread of the snapshot */
	ARRAY(struct ledger_entry) before; /* of the previous one */
};

/* Makes the entries those of a new snapshot; part of snapshot_take. */
void ledger_follow(struct snapshot *snapshot);
void ledger_destroy(struct ledger *ledger);

static inline struct ledger_entry *ledger_of(const struct snapshot *snapshot, uint32_t thread)
{
	return &snapshot->ledger->item.item[thread];
}

static inline bool ledger_is_told(const struct snapshot *snapshot, uint32_t thread)
{
	const struct ledger_entry *entry = ledger_of(snapshot, thread);

	return entry->round.told || entry->call.gives_up;
}
