/*
 * `mpsan ps`: who waits for whom in a session, alive or dead. A look is taken (ps_look.c), told as
 * one JSON document (ps_json.c, ps_thread.c, ps_wait.c), and printed from that (ps_print.c, ps_tree.h). Neighbours:
 * snapshot.h, waits.h and graph.h do the finding.
 */
#ifndef MPSAN_PS_H
#define MPSAN_PS_H

#include <jansson.h>
#include <stdio.h>

#include "../findings/judge.h"
#include "../waitgraph/graph.h"

/* What was read of a thread that stood still: it has not changed while the thread does not run. */
struct ps_kept_thread {
	uint32_t slot, tid;
	uint64_t still_ns; /* as the snapshot has it */
	json_t *name, *stack, *python;
};
struct ps_kept {
	ARRAY(struct ps_kept_thread) item; /* in the order of the snapshot */
};

/* A session and what was seen of it. */
struct ps {
	struct reader reader;
	struct grades grades;
	struct judge judge;
	struct snapshot snapshot;
	struct waits waits;
	struct graph graph;
	bool live; /* some process of it is there */
	uint64_t first_ns; /* time of the first look */
	uint64_t now_ns;
	uint32_t hidden; /* processes whose threads' waits may not be seen */
	uint32_t unseen; /* those of them that /proc hides altogether */
	uint32_t unwound; /* stacks read so far */
	uint64_t *learned_ns; /* by slot: when its modules were taken from /proc, 0: not yet */
	struct ps_kept kept, kept_before; /* of this look and of the one before */
	struct pyview *python; /* of the process `python_slot`, NULL: none */
	uint32_t python_slot; /* as slot + 1, 0: none yet */
};

/* NULL when all is well, else one line, owned by the caller. */
char *ps_open(struct ps *ps, const char *dir);
void ps_close(struct ps *ps);

/* Looks at the living, twice: a thread that did not run in between stands still. */
void ps_look(struct ps *ps);

/*
 * The same for a session that was looked at before: once, for that look is the first of the two. Cheap
 * where nothing has moved. False: nobody is left.
 */
bool ps_look_again(struct ps *ps);

/* Reads and judges the rest of a session in which nobody is left; it cannot be looked at any more. */
void ps_end(struct ps *ps);

/* ps_thread_cache.c: what the look before has of this thread, NULL: nothing that still holds. */
const struct ps_kept_thread *ps_kept_find(const struct ps *ps,
					  const struct snapshot_thread *thread);
/* Keeps it for the next look; the JSON values are borrowed. */
void ps_kept_add(struct ps *ps, const struct snapshot_thread *thread, json_t *name, json_t *stack,
		 json_t *python);
void ps_kept_turn(struct ps *ps);
void ps_kept_finish(struct ps_kept *kept);

/*
 * The document:
 *
 *   schema     "mpsan.ps/1"
 *   session    the directory
 *   live       whether a process of it is there; else all is told as it was left
 *   time_ns    when the look was taken; all times are CLOCK_REALTIME in nanoseconds
 *   processes  [{pid, parent, argv, how, start_ns, end_ns, end, watched,
 *                state: "alive|zombie|ended|unknown", threads}]
 *   threads    [{tid, name, state: "running|waiting|sleeping|unknown", waits_for, holds, stack,
 *                python}], of living processes and of those that left claims behind
 *   waits_for  null, or {kind, lock: "0x...", name, text, call, timed, since_ns, at_least,
 *                owner: null or {pid, tid, name, gone, claimed}, for_ever, at}
 *              text: in words. at_least: it began at since_ns or before. owner: who can end it,
 *              claimed: by the owner's own word. for_ever: proved to be without end. at: the place
 *   holds      [{kind, lock, name, text, taken, wanted}], the newest last. wanted: a thread of the
 *              same process waits for it, or one in a child that copied it with its owner
 *   exports    null, or of the device memory that is shared: {exports, bytes, owners, importers,
 *              reclaimed}, as in mpsan.ipc/1
 *   findings   as in mpsan.report/1: what is proved or feared so far
 *   limits     what could not be seen, one line each
 *
 * Sleeping is a wait with a time limit. Of a dead process the state is "unknown": its threads are
 * shown as they were when it ended.
 */
json_t *ps_document(struct ps *ps);

/* Its findings alone; they are the judge's own, and change with what is found. */
json_t *ps_findings(const struct ps *ps);

/* ps_thread.c: one thread of the snapshot, and one that left only its record; a new reference. */
json_t *ps_thread(struct ps *ps, uint32_t index);
json_t *ps_record(struct ps *ps, uint32_t slot, const struct mpsan_thread *record);

/* Calls `see` for each thread that has a record in the log of a process. */
void ps_each_record(const struct ps *ps, uint32_t slot,
		    void (*see)(const struct mpsan_thread *record, void *context), void *context);

/* ps_wait.c: what a thread waits for. */
struct ps_wait {
	struct fact_place at; /* who waits, now */
	struct mpsan_hold claim; /* tag 0: none */
	const struct mpsan_thread *record; /* may be NULL */
	uint64_t kind, lock, caller, flags;
	bool timed, for_ever;
	uint64_t since_ns;
	bool at_least;
	uint32_t owner, owner_slot; /* TID, 0: not known; slot */
	bool owner_gone, owner_claimed;
	char *call; /* in words */
};
/* What events prove or state of this thread's wait is added. */
void ps_wait_events(const struct ps *ps, struct ps_wait *wait);
json_t *ps_wait_json(struct ps *ps, const struct ps_wait *wait, json_t *stack, json_t *python);
/* The interpreter's own calls: what it locks is a lock of the Python program. */
bool ps_is_python(struct ps *ps, const struct fact_place *at, uint64_t caller);
/* What it claims to hold. */
json_t *ps_holds_json(struct ps *ps, const struct ps_wait *wait);

/* ps_thread_ref.c: names owners as their own processes do, and marks the locks that are wanted. */
void ps_tie(json_t *processes);

/* ps_print.c: the document as people read it, on one screen. */
void ps_print(FILE *out, const json_t *document);

/* ps_find.c: sessions of this user that are alive, in the usual places. */
struct ps_found {
	ARRAY(char *) item;
	char *places; /* where it looked, in words */
};
void ps_find(struct ps_found *found);
/* The same by the environments of this user's processes: wherever `mpsan run --dir` put it. */
void ps_find_elsewhere(struct ps_found *found);
void ps_found_finish(struct ps_found *found);

/*
 * A sub-command that takes [--json] [DIR] and shows one session: that in DIR, else the only one that
 * is under way. Its exit status; what was wrong is said.
 */
int ps_command_run(int argc, char **argv, const char *usage,
		   int (*show)(const char *dir, bool as_json, const void *context),
		   const void *context);

/* One line about a session: what runs in it, since when, how many processes. */
void ps_describe(FILE *out, const char *dir);

#endif
