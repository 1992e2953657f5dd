/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Workers and their parents: which processes a program forked or spawned to share its work, who
 * made them, and which were left behind. Neighbours: roles.h recognises the helper processes of
 * Python and PyTorch; facts.h.
 */
#pragma once

#include <signal.h>

#include "facts.h"
#include "roles.h"

/*
 * A child that outlives its parent for this long was left behind: for a parent that exited by
 * itself, and for one that was killed.
 */
#define PROCESS_LEFT_NS 500000000ull
#define PROCESS_STRUCK_NS 2000000000ull

/*
 * A forked copy that did not exec, or a child of multiprocessing's start methods; not their helper
 * processes, and no subshell.
 */
bool process_is_worker(const struct facts *facts, uint32_t slot);

/* The end of argv[0], in `name`. */
const char *process_program(const struct mpsan_process *process, char name[MPSAN_ARGV_BYTES + 1]);

/* By its name: sh, bash and their like. */
bool process_is_shell(const struct mpsan_process *process);

/* The fork of that parent's newest worker before that time; FACT_NONE: none. */
uint32_t process_worker_fork(const struct facts *facts, uint32_t parent, uint64_t until_ns);

/* As process_is_worker(), but only if the process runs Python, or ran it when it was forked. */
bool process_is_python_worker(const struct facts *facts, uint32_t slot);

/* Whether a script's shell started it with &: it ignores SIGINT, which its shell does not. */
bool process_is_job(const struct facts *facts, uint32_t slot);

/*
 * Whether how it ended may be an answer, as that of grep: another program than Python, or one that could not be
 * executed, and no fault ended it.
 */
bool process_answers_by_end(const struct facts *facts, uint32_t slot);

/* The slot of the process's first image, and of its newest one from `slot` on: each exec takes another slot. */
uint32_t process_born_as(const struct facts *facts, uint32_t slot);
uint32_t process_present(const struct facts *facts, uint32_t slot);

/*
 * Who made the process, as its present image; for a fork server's child, the user of that server.
 * FACT_NONE: not watched.
 */
uint32_t process_parent(const struct facts *facts, uint32_t slot);

/* Whether the process was created after the other one, by the same parent. */
bool process_is_later_sibling(const struct facts *facts, uint32_t slot, uint32_t other);

/* Whether the process, or one between it and `parent`, was detached on purpose. */
bool process_is_apart(const struct facts *facts, uint32_t slot);

/*
 * Whether the process exits and leaves children running on purpose: the intermediate one of a
 * double fork, which called setsid, or did not live long.
 */
bool process_leaves_on_purpose(const struct facts *facts, uint32_t slot);

/*
 * Whether it was detached, or outlived the worker that started it, which exited with status 0: a
 * daemon, which forks twice.
 */
bool process_was_let_go(const struct facts *facts, uint32_t slot);

/* Whether the process was ended by a signal, or ended without logging it. */
bool process_was_killed(const struct facts *facts, uint32_t slot);

/*
 * Whether another process ended it by a signal that asks for termination: the starter of the job, a
 * time limit, the OOM killer. False for crashes and for signals to itself.
 */
bool process_was_struck(const struct facts *facts, uint32_t slot);

/* The signal by which another process of the job told it to end before that time: SIGTERM, or one that it ignores; 0: none. */
int process_was_told_to_end(const struct facts *facts, uint32_t slot, uint64_t before_ns);

/*
 * Whether another process of the job, or its supervisor, ended it: by the signal that did, or by
 * one that asks for termination.
 */
bool process_was_ended_by_another(const struct facts *facts, uint32_t slot);

/*
 * The signal that ended it; 0: none, or unknown. A SIGKILL of another process is known to have done so although nobody
 * saw the status: nothing survives one.
 */
int process_end_signal(const struct facts *facts, uint32_t slot);

/* The event of the signal that ended it, which a process of the job, or itself, sent to it alone; FACT_NONE: none is known. */
uint32_t process_ended_by(const struct facts *facts, uint32_t slot);

/* Whether it ended by a signal, or with a status other than 0; not if it lives, or that is unknown. */
bool process_failed(const struct mpsan_process *process);

/* Whether it failed, and its status is no answer: nobody asks a shell's job in the background for that, but who waits for it. */
bool process_failed_unasked(const struct facts *facts, uint32_t slot);

/* The same, unless SIGTERM ended it, by which terminate() ends workers. */
static inline bool process_failed_untold(const struct mpsan_process *process)
{
	return process_failed(process) &&
	       !(process->end == MPSAN_END_SIGNAL && process->end_value == SIGTERM);
}

/* Whether it ended by a signal that it sent to itself. */
bool process_ended_itself(const struct facts *facts, uint32_t slot);

/* A worker that has outlived its parent for PROCESS_LEFT_NS and was not detached on purpose. */
bool process_is_left_behind(const struct facts *facts, uint32_t slot);

/* A process that lives on after `parent` was killed and will not end by itself. */
bool process_is_orphan_of(const struct facts *facts, uint32_t slot, uint32_t parent);
/* Goes through these, in steps that do not depend on the number of other processes. FACT_NONE: no more. */
struct process_walk {
	uint32_t parent, top, at, left;
};
struct process_walk process_orphans(const struct facts *facts, uint32_t parent);
uint32_t process_next_orphan(const struct facts *facts, struct process_walk *walk);

/*
 * When it becomes known that a living process was left behind; 0: its parent lives, or it was
 * detached on purpose.
 */
uint64_t process_left_ns(const struct facts *facts, uint32_t slot);

/*
 * The event with the process's name and target in Python: its own newest one, else its parent's.
 * FACT_NONE: none.
 */
uint32_t process_named(const struct facts *facts, uint32_t slot);
/*
 * Whether it is a worker of PyTorch's DataLoader, which may end with batches that nothing fetched.
 */
bool process_loads_data(const struct facts *facts, uint32_t slot);

/* The fork that made the process; FACT_NONE: none. */
uint32_t process_fork(const struct facts *facts, uint32_t slot);
/* The same if that left threads behind, and the process has executed no other program since. */
uint32_t process_fork_of_threads(const struct facts *facts, uint32_t slot);
