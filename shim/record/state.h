/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of this process: what nearly every part of the library asks before it acts. Neighbours: life.c makes it
 * and takes it down, fork.c copies it.
 */
#ifndef MPSAN_STATE_H
#define MPSAN_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "../../include/mpsan_log.h"
#include "../intercept/hook.h"

/* One per process; a forked child has its own copy. */
struct life {
	bool attached; /* the constructor is through and the library is on */
	bool forked; /* this image came from a fork: locks may have owners that do not exist here */
	/* a fork on the way here left other threads behind, as far as is known */
	bool lost_threads;
	bool has_guests; /* a process was cloned into this memory and may run in it */
	bool quiet; /* print nothing: a command follows the session, or the user said so */
	uint32_t pid;
	uint32_t slot;
	uint32_t tid_before; /* TID of the forking thread in the parent: what its locks still say */
	uint64_t pid_ns;
	struct mpsan_session *session;
	struct mpsan_process *table;
	struct mpsan_process *self;
};
extern struct life life;

/* The calling thread's record; NULL: not known yet; thread_none: none to be had. */
extern TLS struct mpsan_thread *thread_hot;
/* TID of the calling thread: a system call until it has a record. */
uint32_t thread_tid(void);

/* Is the caller a child of this process that shares its memory (vfork)? Costs a system call. */
bool life_is_guest(void);
/*
 * The same for hooks that programs call by the million: the library is set up and on, and this is
 * no child that shares its parent's memory, which is asked only after a call that may have made
 * one.
 */
bool life_may_change(void);
/* The calling thread is about to make such a child, by this event. */
void life_vforks(uint64_t fork);
/* The event of the newest one. */
uint64_t life_vfork_event(void);
/* In a forked child: what its parent knew of itself does not hold for it. */
void life_copied(void);

/* exit() was called with this code; its handlers still run. */
void life_exit_code(int code);
/* What exit() was called with; -1: it was not. */
int life_code(void);

void life_flag(uint16_t flag);
void life_unflag(uint16_t flag);
bool life_has(uint16_t flag);

/* MPSAN_PROCESS_ALARM, after a call that sets alarms or takes them back: the kernel is asked. */
void life_alarm_set(void);
/* Whether a timer may end a wait of this process, or the process: for proofs, which ask the kernel anew. */
bool life_has_alarm(void);

#endif
