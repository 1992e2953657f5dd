/*
 * Birth, exec and end of this process, as far as the library is concerned. Neighbours: session.c
 * finds the session and the slot, fork.c copies a process, hooks/process.c calls.
 */
#ifndef MPSAN_LIFE_H
#define MPSAN_LIFE_H

#include <stdbool.h>
#include <stdint.h>

#include "../include/mpsan_log.h"

/* One per process; a forked child has its own copy. */
struct life {
	bool attached; /* the constructor is through and the library is on */
	bool forked; /* this image came from a fork: locks may have owners that do not exist here */
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

/* A new process from a fork of this one, begun at `since` (0: not known), is running: called first thing in the child. */
void life_child(enum mpsan_how how, uint64_t fork_pos, uint64_t since);

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

/*
 * A child that execs without running any of our code first: its slot, whoever claimed it. `fork`:
 * the event of its making, 0: not known.
 */
uint32_t life_spawned(uint32_t pid, enum mpsan_how how, uint64_t since_ns, uint64_t fork);

/* As much of the argument list as the slot holds. */
void life_copy_argv(struct mpsan_process *p, const char *const *argv);

/* exec.c: an exec was asked for. `searched`, `envp`: see reach.h. */
void life_exec(const char *path, bool searched, const char *const *argv, const char *const *envp);
/* The same of a child that posix_spawn made. */
void life_exec_of(uint32_t slot, const char *path, bool searched, const char *const *argv,
		  const char *const *envp);
void life_exit(int code);
/* exit() was called with this code; its handlers still run. */
void life_exit_code(int code);
/* Handlers run: exit was called, or main has returned and somebody who is called then says so. */
bool life_is_exiting(void);
/* `reaped`: it is not there to be asked for again. */
void life_ended(uint32_t pid, int status, bool reaped);
void life_flag(uint16_t flag);
void life_unflag(uint16_t flag);
bool life_has(uint16_t flag);

/* MPSAN_PROCESS_ALARM, after a call that sets alarms or takes them back: the kernel is asked. */
void life_alarm_set(void);
/* Whether a timer may end a wait of this process, or the process: for proofs, which ask the kernel anew. */
bool life_has_alarm(void);
void life_switched_off(unsigned why);
/* The same in a handler, when not even the slot may be there any more. */
void life_cut_short(void);

#endif
