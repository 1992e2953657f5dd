/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds deadlocked threads and records them, once, in the supervisor's log: each as a `blocked`
 * event, then the `deadlock` that they form. Rules judge these records; nothing is judged here.
 * Neighbours: snapshot.h, waits.h and graph.h find deadlocks, watchlog.h records them, watch.h
 * calls.
 */
#pragma once

#include "../ranks/ranks.h"
#include "../waits/watchlog.h"
#include "dead_owners.h"
#include "graph.h"

#define LAST_PICTURE_PARTS 6u

/*
 * A wait of a main thread, the threads that could end it one after the other, then others of which
 * any could; final_state.h
 */
struct final_state {
	uint32_t count;
	uint64_t woken_ns; /* 0: the main thread still waits */
	uint64_t draft; /* position in the supervisor's log */
	uint64_t handled; /* signals that are the end it was meant to have, as bits */
	uint64_t handlers; /* those that the program handles, as session_handlers() */
	bool hides; /* it was only taken because the thread cleans up after an error */
	struct final_state_part {
		uint32_t slot, tid;
		uint64_t rest_ns, same_ns; /* as then: snapshot_thread */
		bool is_bystander; /* it does something else */
		struct ev_blocked event;
		uint64_t gone_ns; /* when it was missed first; 0: it lives */
	} part[LAST_PICTURE_PARTS];
};

/* A recorded deadlock whose first waiter something ends; hopeless.h */
struct deadlock_end {
	uint64_t deadlock; /* position in the supervisor's log */
	uint32_t slot, tid;
};

struct deadlocks {
	const struct reader *reader;
	struct snapshot snapshot;
	struct waits waits;
	struct graph graph;
	struct graph help; /* solved for threads at work, see long_waits.c */
	struct dead_owners dead_owners;
	struct ranks ranks;
	struct watchlog log;
	uint64_t hang_after_ns; /* 0: long waits without a proof are not recorded */
	uint32_t turn; /* of hopeless_find, among the times at which waits end */
	uint32_t rested; /* threads of the job when it was last examined at rest */
	ARRAY(struct final_state) pictures;
	uint64_t pictures_ns; /* when it was last asked who is at work beside them */
	ARRAY(struct deadlock_end) ends;
	uint64_t next_ns; /* when the next snapshot is due */
	uint64_t took_ns; /* processor time of the last one; 0: there was none */
	bool blind; /* threads that cannot be examined were recorded as a limit */
	bool hidden; /* processes hidden by /proc were, too */
	bool elsewhere; /* processes of other PID namespaces were, too */
};

void deadlocks_init(struct deadlocks *deadlocks, const struct reader *reader,
		    uint64_t hang_after_ns);
/*
 * For who looks at a session of somebody else's, before it is read. `proves`: nobody else does, so what is proved is
 * recorded in memory. Else it only has room for a snapshot, and deadlocks_look is not called.
 */
void deadlocks_init_beside(struct deadlocks *deadlocks, struct reader *reader, bool proves);
void deadlocks_finish(struct deadlocks *deadlocks);

/* Takes a snapshot if one is due: often enough to prove soon, rarely enough to be cheap. */
void deadlocks_look(struct deadlocks *deadlocks, uint64_t now_ns);

/* Whether another snapshot could still prove something about the existing threads. */
bool deadlocks_are_open(const struct deadlocks *deadlocks);
