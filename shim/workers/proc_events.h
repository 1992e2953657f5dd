/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How this process behaves among others: what Python calls the processes that it starts, whether a
 * started child runs its main module again, how it ends. Neighbours: life.h has birth and end,
 * hooks/proc_events.c and hooks/process.c call, cpython/process.h reads multiprocessing's frames.
 */
#ifndef MPSAN_PROC_EVENTS_H
#define MPSAN_PROC_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../include/mpsan_event.h"

/*
 * This image is a child of multiprocessing's spawn or forkserver, as its arguments say, or the fork server
 * itself. `unnamed` is set until it is known what Python calls it, which
 * is after its main module has run again.
 */
struct proc_events {
	bool started;
	bool unnamed;
	bool told_end;
	uint64_t
		/* where the exception came from that ends this process: a text of its log */
		failed;
	uint32_t again; /* bit for each enum mpsan_main_how that was stated */
};
extern struct proc_events proc_events;

/* At the start of an image, and in a forked child. */
void proc_events_start(void);
void proc_events_forked(void);

/*
 * In a child that is `unnamed`, when it opens a file: the bootstrap of all of them opens the null device, and
 * its frames have the name.
 */
void proc_events_opened(const char *path);

/*
 * The calling thread makes a process, and the event of that stands at `fork`: states the name of the child, a
 * model that it is given while nothing of torch's is shared, and whether the main module does it that runs
 * again. `copies`: the child is a copy of this process.
 */
void proc_events_forks(uint64_t fork, bool copies);

/* The calling thread does what only the first run of a main module should do. */
void proc_events_main_again(enum mpsan_main_how how, uint64_t caller);

/*
 * A call is about to send a signal to a process, to a group (pid <= 0) or to this very process: what it states, 0 for
 * nothing new. And the call has failed.
 */
uint64_t proc_events_kills(int64_t pid, int signal, uint64_t caller);
void proc_events_kill_failed(uint64_t stated);
/* The process behind a pidfd, as that; nobody's where it is not known, or nothing is sent. */
#define PROC_EVENTS_NOBODY INT64_MIN
int64_t proc_events_target(int pidfd, int signal);
void proc_events_raised(int signal, uint64_t caller);

/* A wait call told how a child ended, and gave its caller the status, or was not asked for it. */
void proc_events_reaped(uint32_t pid, int status, bool taken, uint64_t caller);

/* Processors that a thread (0: the calling one) may run on; and that it was changed. */
uint64_t proc_events_processors(int tid);
void proc_events_bound(int tid, uint64_t before, uint64_t caller);

/*
 * This process, or the child that borrows its memory, is about to ask to live on, or to end with its parent: whether it
 * had asked before. And the call has failed.
 */
bool proc_events_flag(uint16_t flag);
void proc_events_unflag(uint16_t flag);

/* A copy or a started child is about to write this to standard error: perhaps what multiprocessing says as it fails. */
void proc_events_complains(const void *data, size_t bytes);

/* This process ends by a call of the program's, with this status. */
void proc_events_left(int code, uint64_t caller);

#endif
