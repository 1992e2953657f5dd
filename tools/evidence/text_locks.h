/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of locks and threads in texts. Neighbours: frames.h names code, evidence.h asks for names.
 */
#pragma once

#include "../../shim/common/lock_kind.h"
#include "../symbols/frames.h"

/* A lock as an event refers to it. */
struct lock_ref {
	const struct fact_place *at;
	const struct fact_held *held; /* NULL: its hold was not recorded */
	uint64_t address;
	uint64_t kind;
	uint64_t flags;
	json_t *native; /* native frames of a waiter or holder; borrowed, may be NULL */
};

/* The lock in a sentence: `mutex "g_lock"`. The caller frees it. */
char *lock_text(const struct reader *reader, struct frames *frames, const struct lock_ref *lock);

/*
 * The name alone, without an address, for fingerprints and suppressions; "" if it has none. The
 * caller frees it.
 */
char *lock_key(const struct reader *reader, struct frames *frames, const struct lock_ref *lock);

/*
 * The multiprocessing object that a process-shared lock belongs to, as "Queue made at main
 * (train.py:12)"; NULL if it is none. The caller frees it.
 */
char *lock_maker(const struct reader *reader, struct frames *frames, const struct lock_ref *lock);

/* "probably ", if the lock does not name its holder; NULL: it was not held. */
const char *held_probably(const struct fact_held *held);

const char *how_text(uint64_t how);

/*
 * The name of the thread that had this TID at that time, else its start function's. The caller
 * frees it.
 */
char *thread_text(const struct reader *reader, struct frames *frames, uint32_t slot, uint32_t tid,
		  uint64_t time_ns);

/* The other threads that existed at a fork, with where each was created. The caller frees it. */
char *threads_text(const struct reader *reader, struct frames *frames,
		   const struct fact_fork *fork);
