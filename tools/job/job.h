/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A job at one moment, as tables, and what follows from them: which threads can go on, and which never will. Nothing
 * here asks the kernel, and nothing here knows where a row comes from. A thread that may go on by itself is open; any
 * other one goes on if those do that could end its wait. Who cannot be opened is dead: dead threads wait only for dead
 * ones (the largest such set). Neighbours: facts/waits.def has the kinds of waits, excuses.def why one that goes on
 * does not count, picture.h reads and writes such tables as text; waitgraph/graph.h fills them in.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/util.h"
#include "../facts/wait_kinds.h"
#include "../rules/at_work.h"

#define JOB_NONE UINT32_MAX

/* Why a thread that goes on does not end a wait (excuses.def); JOB_EXCUSE_NONE: it may. */
enum job_excuse {
	JOB_EXCUSE_NONE,
#define EXCUSE(name, strength, why) JOB_EXCUSE_##name,
#include "excuses.def"
#undef EXCUSE
	JOB_EXCUSES
};

/* What an excuse is worth. CANNOT: the proof stands. UNLIKELY: the thread has not ended the wait yet, but might. */
enum job_strength { EXCUSE_CANNOT, EXCUSE_UNLIKELY };

enum job_who {
	JOB_THREAD,
	JOB_PROCESS, /* any thread of it */
	JOB_ALL, /* any process of the job, also one that is not listed */
};

/* One that could end a wait; or, with an excuse, a thread that cannot although its process is listed. */
struct job_ender {
	enum job_who who;
	uint32_t index;
	enum job_excuse excuse;
};

struct job_process {
	uint32_t pid; /* for pictures only, as are the TIDs */
	uint32_t begin,
		end; /* its threads: all that belong together are neighbours, the main one first */
};

struct job_thread {
	uint32_t tid;
	uint32_t process;
	bool runs; /* or it is not understood what it waits for, or who could end that */
	/* what sort of thread it is: an excuse for all waits of its process (WATCHDOG, DRIVER, SERVES) */
	enum job_excuse trait;
};

/* What a thread waits for: one per thread, in their order. */
struct job_wait {
	uint64_t kind; /* enum mpsan_lock_kind */
	bool all; /* all enders must act, not any */
	bool by_owner; /* it needs its enders' own doing, whatever its kind says: see BETWEEN_NOTHING */
	bool asks_itself; /* it polls for what it lacks: it is no help to itself */
	bool gives_up; /* the handler that ends it sends nothing */
	enum mpsan_wait_ends ends; /* what ends it, whether or not it succeeds */
	uint64_t ends_ns; /* when; 0: unknown */
	uint32_t first, enders; /* range of the job's enders */
	uint32_t holder; /* a thread that claims what has no owner; JOB_NONE: unknown */
};

struct job {
	ARRAY(struct job_process) processes;
	ARRAY(struct job_thread) threads;
	ARRAY(struct job_wait) waits;
	ARRAY(struct job_ender) enders;
};

/* Empties the tables and keeps their memory; job_finish gives it back. */
void job_begin(struct job *job);
void job_finish(struct job *job);

/*
 * Until when a wait lasts unless it succeeds: UINT64_MAX for one that nothing ends; JOB_RENEWED for one that only a
 * signal from outside could end, or that is renewed again and again and needs an owner to succeed; 0: unknown.
 */
#define JOB_RENEWED (UINT64_MAX - 1)
uint64_t job_ends_at(const struct job_wait *wait);

/* What a job comes down to. By thread, where nothing else is said; valid until the next call of job_solve. */
struct job_solution {
	uint32_t count; /* of threads */
	bool *dead;
	enum at_work *help; /* of one that is not dead: whom it can help */
	uint32_t *
		group; /* connected dead threads have the same number, that of one of them; else JOB_NONE */
	uint32_t *next; /* a dead owner or holder that it waits for; JOB_NONE: none */
	uint64_t *
		excuses; /* by group: excuses of single waits in it, as bits (1 << enum job_excuse) */
	/* by process: threads that may go on; of these, the CUDA driver's; threads that poll; whether a handler may send */
	uint32_t *open, *drivers, *polls;
	bool *handles;
	bool job_is_open; /* a thread may go on that does not merely serve the others */
	bool by_work; /* solved for threads at work: the main one stands for its process */
	uint32_t *seen; /* scratch of job_cycle: whether a thread was visited */
	uint32_t room;
};

/*
 * Determines the dead threads, and how they are connected: those whose wait can neither succeed nor end before
 * `horizon_ns`. UINT64_MAX: those that wait for ever.
 */
void job_solve(const struct job *job, uint64_t horizon_ns, struct job_solution *solution);
/*
 * The same for what comes of these threads, by thread, whatever the others may do: dead is who waits, in the end, for
 * none that is known to be at work. Groups are not determined.
 */
void job_solve_work(const struct job *job, const enum at_work *work, struct job_solution *solution);
void job_solution_finish(struct job_solution *solution);

/*
 * A thread on the cycle of owners that `from` leads to; JOB_NONE: it leads to none. Following `next` from there visits
 * the cycle.
 */
uint32_t job_cycle(const struct job_solution *solution, uint32_t from);

/* The name of an excuse, and whether one of several leaves a doubt. */
const char *job_excuse_name(enum job_excuse excuse);
bool job_excuses_doubt(uint64_t excuses);
