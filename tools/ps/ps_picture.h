/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a look at a session has found: its processes, their threads, what these wait for and hold. Neighbours: ps_picture.c,
 * ps_thread.c, ps_wait.c and ps_kind.c fill it in, triage.h concludes from it; ps_json.c, ps_tree.h, ps_print.c and ../top/top.h show it.
 *
 * Texts have nothing that is unsafe to show (jsontext_safe); NULL: there is none. Times are of CLOCK_REALTIME; 0: unknown.
 */
#pragma once

#include <jansson.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "../base/util.h"
#include "../facts/awaited.h"
#include "../report/kinds.h"
#include "../rules/rule.h"

/* Who can end a wait. */
struct ps_owner {
	uint32_t pid, tid; /* tid 0: nobody is known */
	char *name;
	bool gone; /* it is no thread of the waiter's process */
	bool claimed; /* by its own record, not verified in memory */
	enum ps_home { /* of one in a process that forked */
		       PS_HOME_HERE,
		       PS_HOME_NOT_COPIED,
		       PS_HOME_FORKER /* the waiter's first thread is its copy */
	} home;
};

struct ps_awaited {
	const char *kind; /* of the object; NULL: the thread does not wait */
	enum awaited what; /* by its Python frames */
	uint64_t lock; /* 0: of nothing that has an address, or unknown */
	char *name; /* of the lock */
	char *text; /* a phrase */
	bool is_end; /* `text` is "the end of", to be followed by the owner */
	bool is_call; /* `text` is that of the call */
	char *call;
	bool timed, for_ever;
	long long since_ns;
	bool at_least; /* it began then or before */
	struct ps_owner owner;
};

struct ps_hold {
	const char *kind;
	uint64_t lock;
	char *name, *text;
	char *taken; /* where */
	bool wanted; /* by a thread of its process, or of a child that copied it with its owner */
};

enum ps_state { PS_RUNNING, PS_WAITING, PS_SLEEPING, PS_STOPPED, PS_UNKNOWN };

struct ps_thread {
	uint32_t tid;
	enum ps_state state;
	char *name;
	struct ps_awaited waits;
	ARRAY(struct ps_hold) holds; /* the newest last */
	json_t *stack, *python, *handling; /* as ../symbols makes them */
	char *raised; /* `handling` as the end of a sentence, see ../symbols/raised.h */
	char *at; /* the place in the program */
	char *handler; /* "in the handler of SIGALRM" */
	uint64_t still_ns; /* it has not run since, as the snapshot has it; 0: it has */
	char *lock; /* the program's name of the Python lock that it waits for */
	bool seen; /* it lives: what follows is known */
	enum kind kind;
	char *about; /* what exactly, as a phrase */
	uint32_t by; /* PID of the process that it waits for; 0: none */
	double share; /* of a processor since it was seen first, 0 to 1; negative: unknown */
	double seen_s; /* how many seconds that is */
	double wakes; /* how often a second it got a processor meanwhile; negative: unknown */
	long long until_ns; /* when a sleep ends */
};

#define PS_ENDINGS 3u
/* The signals that ask a process to end. */
static const struct {
	int number;
	const char *name;
} ps_endings[PS_ENDINGS] = {{SIGTERM, "SIGTERM"}, {SIGINT, "SIGINT"}, {SIGHUP, "SIGHUP"}};

enum ps_life { PS_ALIVE, PS_ZOMBIE, PS_ENDED, PS_LOST };

struct ps_process {
	uint32_t slot, pid, parent;
	uint32_t outer_pid; /* outside its PID namespace, if it differs there, else 0 */
	uint32_t rank; /* + 1; 0: none */
	char *name; /* that multiprocessing gave it; NULL: none is known */
	char *command; /* in short */
	char *line; /* all words */
	const char *how; /* it began: "root", "fork" … */
	char *unwatched; /* why it was not watched to its end; NULL: it was */
	long long start_ns, end_ns;
	enum ps_life life; /* PS_LOST: it may be alive, but was not seen */
	uint32_t end; /* MPSAN_END_NONE: alive, or unknown */
	int end_value; /* the exit code, or the signal */
	json_t *told; /* what reports tell of it, see process_json */
	bool ignores[PS_ENDINGS]; /* each of ps_endings */
	bool end_at_least; /* it ended then or before */
	uint64_t shm_bytes; /* shared memory, of which only mpsan top knows */
	ARRAY(struct ps_thread) threads; /* the main thread first, if they live */
};

/* The most severe ones come first. */
struct ps_finding {
	enum grade grade;
	char *message;
	json_t *told; /* as in a report */
};

/* What kind of standstill it is: see triage.h. */
struct ps_standstill {
	enum kind kind;
	char *text; /* a line */
	uint32_t pid, tid; /* of the first thread; 0: of none */
	uint32_t threads, processes; /* in the same situation */
	uint32_t waiters; /* for one of them */
};

struct ps_picture {
	char *session;
	bool outside, recorded, live; /* as in the document of ps.h */
	long long now_ns;
	ARRAY(struct ps_process) processes; /* in the order of their beginning */
	ARRAY(struct ps_finding) findings;
	json_t *exports, *limits; /* as in that document */
	ARRAY(struct ps_standstill) triage; /* the most important first */
};

/* Visits all threads with their processes. */
#define EACH_THREAD(picture, process, thread)                                             \
	for (struct ps_process *process = (picture)->processes.item;                      \
	     process && process < (picture)->processes.item + (picture)->processes.count; \
	     process++)                                                                   \
		for (struct ps_thread *thread = process->threads.item;                    \
		     thread && thread < process->threads.item + process->threads.count; thread++)

void ps_picture_free(struct ps_picture *picture);

/* ps_json.c: words of the document. */
const char *ps_state_name(enum ps_state state);
const char *ps_life_name(enum ps_life life);

/*
 * ps_thread_ref.c: adds the owners' names from their own processes, and marks the locks that threads wait
 * for.
 */
void ps_tie(struct ps_picture *picture);
