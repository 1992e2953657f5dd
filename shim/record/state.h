/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of this process, which nearly every part of the library checks before it acts. life.c
 * sets it up and tears it down, fork.c copies it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "../../include/mpsan_log.h"
#include "../intercept/hook.h"

/* One per process; a forked child has its own copy. */
struct life {
	bool attached; /* the constructor has run and the library is on */
	bool forked; /* this image came from a fork: locks may have owners that do not exist here */
	/* an ancestor's fork did not copy other threads, as far as is known */
	bool lost_threads;
	bool has_guests; /* a process was cloned into this memory and may run in it */
	bool forks_only; /* what costs something between forks is not watched */
	uint8_t ignores; /* MPSAN_MARK_IGNORES of `self`, in memory that a fork copies */
	bool quiet; /* print nothing: a command supervises the session, or the user said so */
	uint32_t pid;
	uint32_t slot;
	/* TID of the forking thread in the parent, which its locks still contain */
	uint32_t tid_before;
	uint64_t pid_ns;
	struct mpsan_session *session;
	struct mpsan_process *table;
	struct mpsan_process *self;
};
extern HIDDEN struct life life;

/* The calling thread's record; NULL: not known yet; thread_none: none available. */
extern TLS struct mpsan_thread *thread_hot;
/* TID of the calling thread: a system call until it has a record. */
uint32_t thread_tid(void);

/* Whether the caller is a vfork child that shares this memory. Costs a system call. */
bool life_is_guest(void);
/* Whether this process may write to its log, as far as is known without opening that. */
bool life_may_state(void);
/*
 * Whether a frequent hook may change state: the library is on, and the caller is no vfork child.
 * That is asked only after a call that may have created one.
 */
bool life_may_change(void);
/* The calling thread is about to vfork, by this event. */
void life_vforks(uint64_t fork);
/* The event of the newest vfork. */
uint64_t life_vfork_event(void);
/* In a forked child: resets what its parent knew of itself. */
void life_copied(void);

/* exit() was called with this code; its handlers still run. */
void life_exit_code(int code);
/* The argument of exit(); -1: it was not called. */
int life_code(void);

void life_flag(uint16_t flag);
void life_mark(uint8_t mark);
/* Sets or clears one of MPSAN_MARK_IGNORES. */
void life_ignores(uint8_t mark, bool is);
void life_unflag(uint16_t flag);
bool life_has(uint16_t flag);

/* Updates MPSAN_PROCESS_ALARM after a call that sets or cancels alarms, by asking the kernel. */
void life_alarm_set(void);
/*
 * Whether a timer may end a wait of this process, or the process; for proofs, so the kernel is
 * asked again.
 */
bool life_has_alarm(void);
