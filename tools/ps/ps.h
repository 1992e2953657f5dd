/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `mpsan ps`: who waits for whom in a session, running or ended. The session is examined
 * (ps_look.c), what is found is kept (ps_picture.h), and that is printed (ps_print.c, ps_tree.h) or
 * written as JSON (ps_json.c). Neighbours: snapshot.h, waits.h and graph.h analyse the waits.
 */
#pragma once

#include <jansson.h>
#include <stdio.h>

#include "../findings/judge.h"
#include "../waitgraph/deadlocks.h"
#include "ps_picture.h"

/* A session and its state. */
struct ps {
	struct reader *reader;
	struct judge *judge;
	struct deadlocks *deadlocks;
	struct snapshot *snapshot; /* these three are of `deadlocks` */
	struct waits *waits;
	struct graph *graph;
	struct ps_own *own; /* what these point to; NULL: somebody else's, see ps_over */
	bool proves; /* no supervisor does: what attach would prove is proved here */
	bool live; /* a process of it is alive */
	uint64_t first_ns; /* time of the first snapshot */
	uint64_t now_ns;
	uint32_t hidden; /* processes whose threads' waits cannot be read */
	uint32_t hidden_pid; /* one of those that may not be traced; 0: none */
	uint32_t unseen; /* those of them that /proc hides completely */
	uint32_t unwound, claims; /* stacks read, and searched for claims, so far */
	uint64_t *learned_ns; /* by slot: when its modules were read from /proc; 0: not yet */
	struct pyview *python; /* of process `python_slot`; NULL: none */
	uint32_t python_slot; /* slot + 1; 0: none yet */
	struct pipes pipes; /* of the whole machine, for kinds of waits */
	bool piped; /* they were read for this snapshot */
	struct { /* who has a lock in shared memory, as found last, for the waiters that follow */
		uint64_t at_ns, device, inode;
		uint32_t own_tid, pid, tid;
	} keeper;
};

/* Returns NULL, or a one-line error that the caller frees. */
char *ps_open(struct ps *ps, const char *dir);
void ps_close(struct ps *ps);

/* Shows what somebody else has examined, as of the last snapshot; ps_close leaves it untouched. */
void ps_over(struct ps *ps, struct deadlocks *deadlocks, struct judge *judge);

/*
 * Takes two snapshots of the living processes: a thread that did not run in between is blocked. Without a supervisor
 * more of them, for a second or so, as long as a proof may follow.
 */
void ps_look(struct ps *ps);

/*
 * Takes one more snapshot and compares it with the previous one. Cheap if nothing has changed.
 * Returns false if no process is left.
 */
bool ps_look_again(struct ps *ps);

/*
 * Reads and judges the rest of a session whose processes have all ended; no more snapshots are
 * possible.
 */
void ps_end(struct ps *ps);

/*
 * ps_picture.c: the state after the last look; the caller frees it. `before`: an earlier one, of which names and stacks of
 * threads that have not run since are taken; NULL: none.
 */
struct ps_picture *ps_picture(struct ps *ps, const struct ps_picture *before);
/* Replaces its findings, which change as the judge goes on. */
void ps_picture_judge(const struct ps *ps, struct ps_picture *picture);

/*
 * ps_json.c: the document:
 *
 *   schema     "mpsan.ps/1"
 *   session    the directory
 *   outside    whether its processes were started without the library: `mpsan ps PID`
 *   recorded   whether a report of the session has all these findings, too: without mpsan run some are proved here
 *   live       whether a process of it is alive; else this is the last known state
 *   time_ns    when the snapshot was taken; all times are CLOCK_REALTIME in nanoseconds
 *   processes  [{pid, parent, argv, how, start_ns, end_ns, end, watched,
 *                state: "alive|zombie|ended|unknown", threads}]
 *   threads    [{tid, name, state: "running|waiting|sleeping|stopped|unknown", waits_for, holds,
 *                stack, python, handling, and of living ones kind, about, at, handler, by, cpu, seen_s, wakes, until_ns}], of living
 *              processes and of ended ones that left locks held. handling: null, or the exception that it is handling
 *              while it waits, see ../symbols/raised.h. kind: see ../report/kinds.def. The rest: see ps_picture.h; cpu
 *              is `share`, and null what is unknown
 *   waits_for  null, or {kind, lock: "0x...", name, text, call, timed, since_ns, at_least,
 *                owner: null or {pid, tid, name, gone, copied, claimed}, for_ever, at}
 *              text: a phrase. at_least: it began at since_ns or before. owner: who can end the wait;
 *              gone: it is no thread of the waiter's process. copied: of an owner in a process `pid` that forked:
 *              false, the fork did not copy it; true, it forked, and the waiter's first thread is its copy; else null;
 *              claimed: by the owner's own record, not verified in memory. for_ever: a finding of
 *              grade error, or the library, says that nothing ends it. at: the place
 *   holds      [{kind, lock, name, text, taken, wanted}], the newest last. wanted: a thread of the
 *              same process waits for it, or one in a child that copied it with its owner
 *   exports    null, or totals of exported device memory: {exports, bytes, owners, importers,
 *              reclaimed}, as in mpsan.ipc/1
 *   findings   as in mpsan.report/1: what was found so far
 *   triage     what kind of standstill it is: [{kind, text, pid, tid, threads, processes, waiters}], see ps_picture.h
 *   limits     what could not be observed, one line each
 *
 * Sleeping is a wait with a timeout. Of a dead process the state is "unknown": its threads are
 * shown as they were when it ended.
 */
json_t *ps_json(const struct ps_picture *picture);

/* ps_thread.c: one thread of the snapshot, or one of which only its record is left; false: that says nothing. */
void ps_thread_look(struct ps *ps, uint32_t index, const struct ps_thread *before,
		    struct ps_thread *thread);
bool ps_thread_recall(struct ps *ps, uint32_t slot, const struct mpsan_thread *record,
		      struct ps_thread *thread);

/* Calls `see` for each thread that has a record in the log of a process. */
void ps_each_record(const struct ps *ps, uint32_t slot,
		    void (*see)(const struct mpsan_thread *record, void *context), void *context);

/* ps_proof.c: marks the threads of the snapshot whose waits are proved to last for ever (in the ledger). */
void ps_find_proved(struct ps *ps);

/* A wait; `lock` 0: of nothing that has an address, or unknown. */
struct ps_waiter {
	uint32_t slot, tid;
	uint64_t lock;
	uint64_t still_ns; /* it has not run since; 0: unknown */
	uint64_t began_ns; /* when the wait began, at the latest; 0: unknown */
};
/* What was recorded of this wait, if that is proved to last for ever; else NULL. */
const struct fact_blocked *ps_proof_of(const struct ps *ps, const struct ps_waiter *waiter);

/* ps_wait.c: what a thread waits for. */
struct ps_wait {
	struct fact_place at; /* the waiter, now */
	struct mpsan_hold claim; /* tag 0: none */
	const struct mpsan_thread *record; /* may be NULL */
	uint64_t kind, lock, caller, flags;
	bool timed, for_ever;
	uint64_t still_ns; /* it has not run since; 0: unknown */
	uint64_t since_ns;
	bool at_least;
	uint32_t owner, owner_slot; /* TID, 0: unknown; slot */
	bool owner_gone, owner_claimed;
	enum ps_home owner_home;
	char *call; /* as text */
	const char *name; /* of a Python lock, as the program calls it; NULL: unknown */
};
/* Adds what events prove or state about this thread's wait. */
void ps_wait_events(const struct ps *ps, struct ps_wait *wait);
/* The stack and the Python frames are already in `thread`. */
struct ps_awaited ps_wait_awaited(struct ps *ps, const struct ps_wait *wait,
				  const struct ps_thread *thread);
/* The place in the program where it waits; NULL: unknown. */
char *ps_wait_place(struct ps *ps, const struct ps_wait *wait, const struct ps_thread *thread);
/* Whether the caller is the Python interpreter: its locks are locks of the Python program. */
bool ps_is_python(struct ps *ps, const struct fact_place *at, uint64_t caller);
/* Adds the locks that it holds by its record. */
void ps_wait_holds(struct ps *ps, const struct ps_wait *wait, struct ps_thread *thread);

/* ps_print.c: prints it on one screen. */
void ps_print(FILE *out, const struct ps_picture *picture);
/* Only the tree of processes, with frames, whatever the screen. */
void ps_print_tree(FILE *out, const struct ps_picture *picture);

/* ps_find.c: running sessions of this user in the usual places. */
struct ps_found {
	ARRAY(char *) item;
	char *places; /* the places searched, as text */
};
void ps_find(struct ps_found *found);
/*
 * Adds sessions found through the environments of this user's processes, wherever `mpsan run --dir`
 * put them.
 */
void ps_find_elsewhere(struct ps_found *found);
void ps_found_finish(struct ps_found *found);

/*
 * Runs a sub-command that takes [--json] [DIR] and shows one session: that in DIR, else the only
 * running one. Returns its exit status; errors were printed.
 */
int ps_command_run(int argc, char **argv, const char *usage,
		   int (*show)(const char *dir, bool as_json, const void *context),
		   const void *context);

/* Prints one line about a session: its command, age and number of processes. */
void ps_describe(FILE *out, const char *dir);
