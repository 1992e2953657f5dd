/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Birth, exec and end of this process, as far as the library is concerned. Neighbours: session.c
 * finds the session and the slot, fork.c copies a process, hooks/process.c calls.
 */
#ifndef MPSAN_LIFE_H
#define MPSAN_LIFE_H

#include "../record/state.h"

/* A new process from a fork of this one, begun at `since` (0: not known), is running: called first thing in the child. */
void life_child(enum mpsan_how how, uint64_t fork_pos, uint64_t since);

/* As much of the argument list as the slot holds. */
void life_copy_argv(struct mpsan_process *p, const char *const *argv);

/* exec.c: an exec was asked for. `searched`, `envp`: see exec_reach.h. */
void life_exec(const char *path, bool searched, const char *const *argv, const char *const *envp);
/* The same of a child that posix_spawn made. */
void life_exec_of(uint32_t slot, const char *path, bool searched, const char *const *argv,
		  const char *const *envp);
void life_exit(int code);
/* `reaped`: it is not there to be asked for again. */
void life_ended(uint32_t pid, int status, bool reaped);

#endif
